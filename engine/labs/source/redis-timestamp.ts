/**
 * The old Redis lock, whose value says until when it is held, in five languages. Two programs in one text: `-` is the
 * published one, `+` the mended one. Calls are those of go-redis, Jedis, node-redis and redis-cli.
 */
import { type Listings, variantOf } from "./listing.ts";

const BOTH: Listings = {
  pseudo: `
 loop:
   mine ← my clock's now + timeout //@ stamp !client-clock
   SETNX lock mine = 1? leave the loop: it is mine //@ setnx
   shown ← GET lock //@ get
-  nothing there: parsing fails; sleep, as if it were held //@ get-nil !nil-unhandled
+  nothing there: start again at once //@ !nil-handled
   is shown before now, so over? then mine ← now + timeout, and
     GETSET lock mine gives back shown? leave: it is mine //@ getset !getset-moves-expiry
   sleep 200 ms; after the limit give up //@ pause
 PEXPIRE lock timeout //@ expire !expire-apart
 I hold the lock: work //@ work
   before each write: is my own deadline over (if I keep one)? //@ check
   write //@ write
lGET lock: is it over? then leave it //@ look !asks-the-next-owners-time
-DEL lock //@ release !deletes-anothers-lock
+script: if GET lock = mine then DEL lock //@ release !compare-and-delete
`,
  go: `
 for {
 	mine := stamp(time.Now().Add(timeout)) // ms, as text //@ stamp !client-clock
 	if rdb.SetNX(ctx, lock, mine, 0).Val() { break } // it is mine //@ setnx
 	shown, err := rdb.Get(ctx, lock).Result() //@ get
-	until, err := strconv.ParseInt(shown, 10, 64) // "" if nil: err, sleep //@ get-nil !nil-unhandled
+	if err == redis.Nil { continue } // gone meanwhile //@ !nil-handled
+	until, err := strconv.ParseInt(shown, 10, 64)
 	if err == nil && until < time.Now().UnixMilli() {
 		mine = stamp(time.Now().Add(timeout))
 		if rdb.GetSet(ctx, lock, mine).Val() == shown { break } // it is mine //@ getset !getset-moves-expiry
 	}
 	time.Sleep(retry) // after the limit: give up //@ pause
 }
 rdb.PExpire(ctx, lock, timeout) //@ expire !expire-apart
 for _, item := range job { // the lock is mine //@ work
 	if keepsDeadline && time.Now().After(deadline) { break } //@ check
 	resource.Write(item) //@ write
 }
lif isOver(rdb.Get(ctx, lock).Val()) { return } //@ look !asks-the-next-owners-time
-rdb.Del(ctx, lock) //@ release !deletes-anothers-lock
+const release = "if redis.call('get',KEYS[1]) == ARGV[1] " +
+	"then return redis.call('del',KEYS[1]) else return 0 end"
+rdb.Eval(ctx, release, []string{lock}, mine) //@ release !compare-and-delete
`,
  java: `
 for (;;) {
   mine = String.valueOf(System.currentTimeMillis() + timeout); //@ stamp !client-clock
   if (jedis.setnx(lock, mine) == 1) break; // it is mine //@ setnx
   String shown = jedis.get(lock); //@ get
-  // null: parseLong throws, and the catch sleeps //@ get-nil !nil-unhandled
+  if (shown == null) continue; // gone meanwhile //@ !nil-handled
   if (Long.parseLong(shown) < System.currentTimeMillis()) {
     mine = String.valueOf(System.currentTimeMillis() + timeout);
     if (shown.equals(jedis.getSet(lock, mine))) break; // it is mine //@ getset !getset-moves-expiry
   }
   Thread.sleep(retry); // after the limit: give up //@ pause
 }
 jedis.pexpire(lock, timeout); //@ expire !expire-apart
 for (var item : job) { // the lock is mine //@ work
   if (keepsDeadline && System.nanoTime() - deadline >= 0) break; //@ check
   resource.write(item); //@ write
 }
lif (isOver(jedis.get(lock))) return; //@ look !asks-the-next-owners-time
-jedis.del(lock); //@ release !deletes-anothers-lock
+String release = "if redis.call('get',KEYS[1]) == ARGV[1] "
+    + "then return redis.call('del',KEYS[1]) else return 0 end";
+jedis.eval(release, List.of(lock), List.of(mine)); //@ release !compare-and-delete
`,
  typescript: `
 let mine: string;
 for (;;) {
   mine = String(Date.now() + timeout); //@ stamp !client-clock
   if (await redis.setNX(lock, mine)) break; // it is mine //@ setnx
   const shown = await redis.get(lock); //@ get
-  // null: no number, so never over; sleep //@ get-nil !nil-unhandled
+  if (shown === null) continue; // gone meanwhile //@ !nil-handled
   if (Number.parseInt(shown) < Date.now()) {
     mine = String(Date.now() + timeout);
     if ((await redis.getSet(lock, mine)) === shown) break; // it is mine //@ getset !getset-moves-expiry
   }
   await sleep(retry); // after the limit: give up //@ pause
 }
 await redis.pExpire(lock, timeout); //@ expire !expire-apart
 for await (const item of job) { // the lock is mine //@ work
   if (keepsDeadline && performance.now() >= deadline) break; //@ check
   await resource.write(item); //@ write
 }
lif (isOver(await redis.get(lock))) return; //@ look !asks-the-next-owners-time
-await redis.del(lock); //@ release !deletes-anothers-lock
+const release = "if redis.call('get',KEYS[1]) == ARGV[1] " +
+  "then return redis.call('del',KEYS[1]) else return 0 end";
+await redis.eval(release, { keys: [lock], arguments: [mine] }); //@ release !compare-and-delete
`,
  cli: `
 while true; do
   MINE=$(($(date +%s%3N) + TIMEOUT)) //@ stamp !client-clock
   [ $(redis-cli SETNX $LOCK $MINE) = 1 ] && break # it is mine //@ setnx
   SHOWN=$(redis-cli GET $LOCK) //@ get
-  # empty: the comparison fails; sleep //@ get-nil !nil-unhandled
+  [ -z "$SHOWN" ] && continue # gone meanwhile //@ !nil-handled
   if [ "$SHOWN" -lt $(date +%s%3N) ]; then
     MINE=$(($(date +%s%3N) + TIMEOUT))
     [ "$(redis-cli GETSET $LOCK $MINE)" = "$SHOWN" ] && break # mine //@ getset !getset-moves-expiry
   fi
   sleep 0.2 # after the limit: give up //@ pause
 done
 redis-cli PEXPIRE $LOCK $TIMEOUT //@ expire !expire-apart
 do_next_part # the lock is mine //@ work
 [ -z "$DEADLINE" ] || [ $(monotonic) -lt $DEADLINE ] || release //@ check
 write_resource "$ITEM" //@ write
l[ "$(redis-cli GET $LOCK)" -lt $(date +%s%3N) ] && exit //@ look !asks-the-next-owners-time
-redis-cli DEL $LOCK //@ release !deletes-anothers-lock
+RELEASE="if redis.call('get',KEYS[1]) == ARGV[1]
+  then return redis.call('del',KEYS[1]) else return 0 end"
+redis-cli EVAL "$RELEASE" 1 $LOCK $MINE //@ release !compare-and-delete
`,
};

export const REDIS_TIMESTAMP_PUBLISHED: Listings = variantOf(BOTH, "-");
export const REDIS_TIMESTAMP_MENDED: Listings = variantOf(BOTH, "+");
/** Much copied: DEL, but only if the time that the key shows is not over. */
export const REDIS_TIMESTAMP_IF_LIVE: Listings = variantOf(BOTH, "-l");
