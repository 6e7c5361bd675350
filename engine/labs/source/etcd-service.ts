/** etcd's Lock service in five languages. Calls are those of v3lockpb, jetcd (`b` makes a ByteSequence) and etcdctl. */
import type { Listings } from "./listing.ts";

export const ETCD_SERVICE: Listings = {
  pseudo: `
lease ← grant(ttl) //@ grant
start heartbeat
key ← Lock(name, lease): answered when it is my turn //@ lock
token ← create revision of key, if it is still there //@ read-token
I hold the lock: work //@ work
  before each write: is my own deadline over (if I keep one)? //@ check
  write //@ write
Unlock(key): deletes whatever key is named //@ unlock
revoke(lease) //@ close
heartbeat:
  renew(lease): TTL 0? it ends //@ beat
  sleep for the period; again //@ beat-sleep
`,
  go: `
lease, err := cli.Grant(ctx, ttl) //@ grant
go heartbeat(lease.ID)
locked, err := locks.Lock(ctx, &LockRequest{Name: name, Lease: int64(lease.ID)}) //@ lock
own, err := cli.Get(ctx, string(locked.Key)) // its create revision //@ read-token
for _, item := range job { // the lock is mine //@ work
	if keepsDeadline && time.Now().After(deadline) { break } //@ check
	resource.Write(item, token) //@ write
}
locks.Unlock(ctx, &UnlockRequest{Key: locked.Key}) //@ unlock
cli.Revoke(ctx, lease.ID) //@ close
// heartbeat:
for alive(cli.KeepAliveOnce(ctx, id)) { //@ beat
	time.Sleep(period) //@ beat-sleep
}
`,
  java: `
long lease = leases.grant(ttl).get().getID(); //@ grant
timer.scheduleAtFixedRate(heartbeat, 0, period, SECONDS);
var key = locks.lock(b(name), lease).get().getKey(); //@ lock
var own = kv.get(key).get(); // its create revision //@ read-token
for (var item : job) { // the lock is mine //@ work
  if (keepsDeadline && System.nanoTime() - deadline >= 0) break; //@ check
  resource.write(item, token); //@ write
}
locks.unlock(key).get(); //@ unlock
leases.revoke(lease).get(); //@ close
// heartbeat:
leases.keepAliveOnce(lease); //@ beat
// the next after the period //@ beat-sleep
`,
  typescript: `
const lease = await etcd.grant(ttl); //@ grant
const beating = heartbeat(lease);
const { key } = await locks.lock({ name, lease }); //@ lock
const own = await etcd.get(key); // its create revision //@ read-token
for await (const item of job) { // the lock is mine //@ work
  if (keepsDeadline && performance.now() >= deadline) break; //@ check
  await resource.write(item, token); //@ write
}
await locks.unlock({ key }); //@ unlock
await etcd.revoke(lease); //@ close
async function heartbeat(lease) {
  while (await alive(etcd.keepAliveOnce(lease))) //@ beat
    await sleep(period); //@ beat-sleep
}
`,
  cli: `
LEASE=$(etcdctl lease grant $TTL | cut -d' ' -f2) //@ grant
heartbeat &
grpcurl -d '{"name": "'$NAME'", "lease": '$LEASE'}' $SERVER v3lockpb.Lock/Lock //@ lock
etcdctl get $KEY -w json # its create revision //@ read-token
do_next_part # the lock is mine //@ work
[ -z "$DEADLINE" ] || [ $(monotonic) -lt $DEADLINE ] || unlock //@ check
write_resource "$ITEM" "$TOKEN" //@ write
grpcurl -d '{"key": "'$KEY'"}' $SERVER v3lockpb.Lock/Unlock //@ unlock
etcdctl lease revoke $LEASE //@ close
# heartbeat:
while etcdctl lease keep-alive --once $LEASE; do //@ beat
  sleep $PERIOD //@ beat-sleep
done
`,
};
