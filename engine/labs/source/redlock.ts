/** Redlock in five languages: `each` stands for the connection to one of the independent servers. */
import type { Listings } from "./listing.ts";

export const REDLOCK: Listings = {
  pseudo: `
loop:
  token ← random; started ← now, by a monotonic clock //@ begin
  for each of the five servers, one after another:
    SET lock token NX PX ttl; wait 50 ms at most //@ ask !short-timeout
  valid ← ttl − time taken − drift
  a majority said OK, and valid > 0? leave the loop //@ judge !majority-in-time
  for each server, also those that did not answer:
    script: if GET lock = token then DEL lock //@ undo !undo-everywhere
  sleep a random time //@ pause !random-pause
I hold the lock, for the time that is valid: work //@ work
  before each write: is that time over (if I count it)? //@ check
  write //@ write
stop, and give back: //@ give-back
for each server: script: if GET lock = token then DEL lock //@ release
`,
  go: `
for {
	token, started, granted := uuid.NewString(), time.Now(), 0 //@ begin
	for _, each := range servers { // read timeout of 50 ms
		ok, _ := each.SetNX(ctx, lock, token, ttl).Result() //@ ask !short-timeout
		if ok { granted++ }
	}
	valid := ttl - time.Since(started) - ttl/100 - 2*time.Millisecond
	if granted > len(servers)/2 && valid > 0 { break } //@ judge !majority-in-time
	for _, each := range servers {
		release.Run(ctx, each, []string{lock}, token) //@ undo !undo-everywhere
	}
	time.Sleep(rand.N(retry)) //@ pause !random-pause
}
deadline := time.Now().Add(valid)
for _, item := range job { // the lock is mine //@ work
	if keepsDeadline && time.Now().After(deadline) { break } //@ check
	resource.Write(item) //@ write
}
// release: if redis.call('get',KEYS[1]) == ARGV[1]
//   then return redis.call('del',KEYS[1]) else return 0 end
believes = false //@ give-back
for _, each := range servers {
	release.Run(ctx, each, []string{lock}, token) //@ release
}
`,
  java: `
for (;;) {
  token = UUID.randomUUID().toString(); long started = System.nanoTime(); //@ begin
  int granted = 0;
  for (var each : servers) // socket timeout of 50 ms
    if (set(each, lock, token, nxPx(ttl))) granted++; //@ ask !short-timeout
  valid = ttl - millisSince(started) - ttl / 100 - 2;
  if (granted > servers.size() / 2 && valid > 0) break; //@ judge !majority-in-time
  for (var each : servers)
    each.eval(RELEASE, List.of(lock), List.of(token)); //@ undo !undo-everywhere
  Thread.sleep(random.nextLong(1, retry)); //@ pause !random-pause
}
long deadline = System.nanoTime() + MILLISECONDS.toNanos(valid);
for (var item : job) { // the lock is mine //@ work
  if (keepsDeadline && System.nanoTime() - deadline >= 0) break; //@ check
  resource.write(item); //@ write
}
// RELEASE: if redis.call('get',KEYS[1]) == ARGV[1]
//   then return redis.call('del',KEYS[1]) else return 0 end
believes = false; //@ give-back
for (var each : servers)
  each.eval(RELEASE, List.of(lock), List.of(token)); //@ release
`,
  typescript: `
let token, valid;
for (;;) {
  token = randomUUID(); const started = performance.now(); //@ begin
  let granted = 0;
  for (const each of servers) {
    const ok = within(50, each.set(lock, token, { NX: true, PX: ttl })); //@ ask !short-timeout
    if ((await ok) === "OK") granted += 1;
  }
  valid = ttl - (performance.now() - started) - ttl / 100 - 2;
  if (granted > servers.length / 2 && valid > 0) break; //@ judge !majority-in-time
  for (const each of servers)
    await within(50, each.eval(RELEASE, { keys: [lock], arguments: [token] })); //@ undo !undo-everywhere
  await sleep(Math.random() * retry); //@ pause !random-pause
}
const deadline = performance.now() + valid;
for await (const item of job) { // the lock is mine //@ work
  if (keepsDeadline && performance.now() >= deadline) break; //@ check
  await resource.write(item); //@ write
}
// RELEASE: if redis.call('get',KEYS[1]) == ARGV[1]
//   then return redis.call('del',KEYS[1]) else return 0 end
believes = false; //@ give-back
for (const each of servers)
  await within(50, each.eval(RELEASE, { keys: [lock], arguments: [token] })); //@ release
`,
  cli: `
while true; do
  TOKEN=$(uuidgen); STARTED=$(monotonic); GRANTED=0 //@ begin
  for EACH in $SERVERS; do
    [ "$(timeout 0.05 redis-cli -h $EACH SET $LOCK $TOKEN NX PX $TTL)" = OK ] && //@ ask !short-timeout
      GRANTED=$((GRANTED + 1))
  done
  VALID=$((TTL - ($(monotonic) - STARTED) - TTL / 100 - 2))
  [ $GRANTED -ge 3 ] && [ $VALID -gt 0 ] && break //@ judge !majority-in-time
  for EACH in $SERVERS; do
    timeout 0.05 redis-cli -h $EACH EVAL "$RELEASE" 1 $LOCK $TOKEN //@ undo !undo-everywhere
  done
  sleep 0.$((RANDOM % 200 + 100)) //@ pause !random-pause
done
do_next_part # the lock is mine //@ work
[ -z "$DEADLINE" ] || [ $(monotonic) -lt $DEADLINE ] || give_back //@ check
write_resource "$ITEM" //@ write
# RELEASE: if redis.call('get',KEYS[1]) == ARGV[1]
#   then return redis.call('del',KEYS[1]) else return 0 end
# give back: believe no more //@ give-back
for EACH in $SERVERS; do
  timeout 0.05 redis-cli -h $EACH EVAL "$RELEASE" 1 $LOCK $TOKEN //@ release
done
`,
};
