/**
 * The Redis lock of today, a token under NX and PX, in five languages. Two programs in one text: `-` is the plain one, `+`
 * the one that counts a fencing number beside it. Calls are those of go-redis, Jedis, node-redis and redis-cli.
 */
import { type Listings, variantOf } from "./listing.ts";

const BOTH: Listings = {
  pseudo: `
 token ← random //@ begin
 loop:
-  SET lock token NX PX ttl answers OK? leave the loop //@ acquire !no-number
+  script: if SET lock token NX PX ttl then INCR lock:count //@ acquire !counted
+  number ← its answer; is there one? leave the loop
   sleep, and try again //@ pause
 (if asked to) WAIT until replicas have it; too few? give up //@ wait
 I hold the lock, and start the heartbeat: work //@ work
   before each write: is my own deadline over (if I keep one)? //@ check
   write //@ write
 stop heartbeat
 script: if GET lock = token then DEL lock //@ release !compare-and-delete
 when lost: believe no more, release //@ lost

 heartbeat, if there is one:
   sleep for the period //@ beat-sleep
   script: if GET lock = token then PEXPIRE lock ttl else lost; again //@ beat
`,
  go: `
 token := uuid.NewString() //@ begin
 for {
-	ok, err := rdb.SetNX(ctx, lock, token, ttl).Result() // SET NX PX //@ acquire !no-number
-	if ok { break }
+	number, err := acquire.Run(ctx, rdb, []string{lock, lock + ":count"}, //@ acquire !counted
+		token, ttl.Milliseconds()).Int64()
+	if err == nil { break } // redis.Nil: it is held
 	time.Sleep(retry) //@ pause
 }
+// acquire: if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2])
+//   then return redis.call('incr',KEYS[2]) else return false end
 if rdb.Wait(ctx, replicas, wait).Val() < replicas { return giveUp() } // if asked to //@ wait
 go heartbeat(token)
 for _, item := range job { // the lock is mine //@ work
 	if keepsDeadline && time.Now().After(deadline) { return lost() } //@ check
-	resource.Write(item) //@ write
+	resource.Write(item, number) //@ write
 }
 // release: if redis.call('get',KEYS[1]) == ARGV[1]
 //   then return redis.call('del',KEYS[1]) else return 0 end
 release.Run(ctx, rdb, []string{lock}, token) //@ release !compare-and-delete
 // lost(): believe no more, release //@ lost
 // heartbeat, if there is one:
 for {
 	time.Sleep(period) //@ beat-sleep
 	n, err := renew.Run(ctx, rdb, []string{lock}, token, ttl.Milliseconds()).Int() //@ beat
 	if err == nil && n == 0 { lost() } // no longer the same token
 }
`,
  java: `
 String token = UUID.randomUUID().toString(); //@ begin
-while (jedis.set(lock, token, SetParams.setParams().nx().px(ttl)) == null) //@ acquire !no-number
-  Thread.sleep(retry); //@ pause
+Object number; // null: it is held
+while ((number = jedis.eval(ACQUIRE, List.of(lock, lock + ":count"), //@ acquire !counted
+    List.of(token, String.valueOf(ttl)))) == null)
+  Thread.sleep(retry); //@ pause
+// ACQUIRE: if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2])
+//   then return redis.call('incr',KEYS[2]) else return false end
 if (jedis.waitReplicas(replicas, 200) < replicas) return giveUp(); // if asked to //@ wait
 timer.scheduleAtFixedRate(heartbeat, period, period, MILLISECONDS);
 for (var item : job) { // the lock is mine //@ work
   if (keepsDeadline && System.nanoTime() - deadline >= 0) throw new LockLost(); //@ check
-  resource.write(item); //@ write
+  resource.write(item, number); //@ write
 }
 // RELEASE: if redis.call('get',KEYS[1]) == ARGV[1]
 //   then return redis.call('del',KEYS[1]) else return 0 end
 jedis.eval(RELEASE, List.of(lock), List.of(token)); //@ release !compare-and-delete
 // catch (LockLost): believe no more, release //@ lost
 // heartbeat, if there is one: the timer sleeps for the period //@ beat-sleep
 var n = jedis.eval(RENEW, List.of(lock), List.of(token, String.valueOf(ttl))); //@ beat
 if (n.equals(0L)) lost(); // no longer the same token
`,
  typescript: `
 const token = randomUUID(); //@ begin
-while ((await redis.set(lock, token, { NX: true, PX: ttl })) === null) //@ acquire !no-number
-  await sleep(retry); //@ pause
+let number; // null: it is held
+while ((number = await redis.eval(ACQUIRE, { //@ acquire !counted
+  keys: [lock, lock + ":count"], arguments: [token, String(ttl)],
+})) === null)
+  await sleep(retry); //@ pause
+// ACQUIRE: if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2])
+//   then return redis.call('incr',KEYS[2]) else return false end
 if ((await redis.wait(replicas, 200)) < replicas) return giveUp(); // if asked to //@ wait
 const beating = heartbeat(token);
 for await (const item of job) { // the lock is mine //@ work
   if (keepsDeadline && performance.now() >= deadline) throw new LockLost(); //@ check
-  await resource.write(item); //@ write
+  await resource.write(item, number); //@ write
 }
 // RELEASE: if redis.call('get',KEYS[1]) == ARGV[1]
 //   then return redis.call('del',KEYS[1]) else return 0 end
 await redis.eval(RELEASE, { keys: [lock], arguments: [token] }); //@ release !compare-and-delete
 // catch LockLost: believe no more, release //@ lost
 async function heartbeat(token) { // if there is one
   for (;;) {
     await sleep(period); //@ beat-sleep
     const n = await redis.eval(RENEW, { keys: [lock], arguments: [token, ttl] }); //@ beat
     if (n === 0) return lost(); // no longer the same token
   }
 }
`,
  cli: `
 TOKEN=$(uuidgen) //@ begin
-until [ "$(redis-cli SET $LOCK $TOKEN NX PX $TTL)" = OK ]; do //@ acquire !no-number
-  sleep $RETRY //@ pause
-done
+ACQUIRE="if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2])
+  then return redis.call('incr',KEYS[2]) else return false end"
+until NUMBER=$(redis-cli EVAL "$ACQUIRE" 2 $LOCK $LOCK:count $TOKEN $TTL) //@ acquire !counted
+  [ -n "$NUMBER" ]; do
+  sleep $RETRY //@ pause
+done
 [ $(redis-cli WAIT $REPLICAS 200) -ge $REPLICAS ] || give_up # if asked to //@ wait
 heartbeat &
 do_next_part # the lock is mine //@ work
 [ -z "$DEADLINE" ] || [ $(monotonic) -lt $DEADLINE ] || lost //@ check
-write_resource "$ITEM" //@ write
+write_resource "$ITEM" "$NUMBER" //@ write
 RELEASE="if redis.call('get',KEYS[1]) == ARGV[1]
   then return redis.call('del',KEYS[1]) else return 0 end"
 redis-cli EVAL "$RELEASE" 1 $LOCK $TOKEN //@ release !compare-and-delete
 # lost: believe no more, release //@ lost
 # heartbeat, if there is one; RENEW has pexpire in place of del:
 sleep $PERIOD //@ beat-sleep
 [ $(redis-cli EVAL "$RENEW" 1 $LOCK $TOKEN $TTL) = 1 ] || lost //@ beat
`,
};

export const REDIS_TOKEN: Listings = variantOf(BOTH, "-");
export const REDIS_TOKEN_FENCED: Listings = variantOf(BOTH, "+");
