/**
 * The fair lock of etcd in five languages. Both programs in one text: a line that begins with `-` is only in the published
 * one, with `+` only in the mended one and those like it, of which one has `g` for `w`, and one `h` for `m`;
 * `n` for `w` is in those that note in their own key what they do. Calls are those of clientv3, jetcd (`b` makes a ByteSequence) and etcdctl.
 */
import { type Listings, variantOf } from "./listing.ts";

const BOTH: Listings = {
  pseudo: `
 key ← lock + "/" + uuid //@ begin
 lease ← grant(15 s) //@ grant
 start heartbeat
-put(key, me, lease); mine ← revision of the answer //@ put !put-error-forgotten
-all ← range(lock…, by mod revision) //@ read !prefix-without-slash !order-by-mod
-if mine is not the first of all:
-  watch(the one before mine), from now //@ watch !watch-without-revision
-  wait for any event //@ await !any-delete-is-mine
-  end the watch //@ unwatch
-  (with a limit: end the watch, give up) //@ unwatch-lost !key-left
+put(key, me, lease); on error: give back //@ put
+loop:
+  all, now ← range(lock/…, by create revision) //@ read !prefix-with-slash !order-by-create
+  is mine the first? leave the loop. Is it not there? lost
m  watch(the one before mine), from now + 1 //@ watch !watch-from-read
h  watch(lock/…), from my revision + 1, and keep the watch //@ watch !all-wake
+  wait for its DELETE, at most limit //@ await !only-delete
+  the limit is over: end the watch, give up //@ unwatch-lost
+  end the watch, and look again //@ unwatch !read-again
hmine is the first: end the watch //@ unwatch-first
 I hold the lock: work //@ work
-  (before a write nothing is checked) //@ check !no-own-deadline
+  before each write: is my own deadline over? lost //@ check !own-deadline
w  write //@ write
n  write it into my own key: put(key, …, lease) //@ write !noted-in-key
g  txn: if the create revision of key is mine, put the value //@ write !guarded-by-key
 stop heartbeat //@ stop-heartbeat
-delete(key) //@ give-back !lease-left
+revoke(lease) //@ give-back !lease-revoked
-when lost: (it has no way to know) //@ lost
+when lost: believe no more, give back //@ lost

 heartbeat:
   sleep until the first beat //@ beat-first
-  renew(lease) //@ beat !answer-not-read
-  sleep 12 s; again //@ beat-sleep !one-loss-is-fatal
+  renew(lease): TTL 0? lost. Else deadline ← sent + TTL //@ beat !answer-read
+  sleep for the period; again //@ beat-sleep
`,
  go: `
 key := lock + "/" + uuid.NewString() //@ begin
 lease, err := cli.Grant(ctx, 15) //@ grant
 go heartbeat(lease.ID)
 put, err := cli.Put(ctx, key, me, clientv3.WithLease(lease.ID)) //@ put
-mine := put.Header.Revision // err is only printed //@ !put-error-forgotten
-all, _ := cli.Get(ctx, lock, clientv3.WithPrefix(), //@ read !prefix-without-slash !order-by-mod
-	clientv3.WithSort(clientv3.SortByModRevision, clientv3.SortAscend))
-if before := predecessor(all.Kvs, mine); before != "" {
-	events := cli.Watch(wctx, before) //@ watch !watch-without-revision
-	<-events //@ await !any-delete-is-mine
-	stopWatching() //@ unwatch
-	// with a limit: stopWatching() and give up //@ unwatch-lost !key-left
-}
+for err == nil {
+	all, _ := cli.Get(ctx, lock+"/", clientv3.WithPrefix(), //@ read !prefix-with-slash !order-by-create
+		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
+	before, place := predecessor(all.Kvs, key) // place < 0: lost
+	if place == 0 { break }
m	events := cli.Watch(wctx, before, clientv3.WithFilterPut(), //@ watch !watch-from-read
m		clientv3.WithRev(all.Header.Revision+1))
h	events := cli.Watch(wctx, lock+"/", clientv3.WithPrefix(), //@ watch !all-wake
h		clientv3.WithRev(put.Header.Revision+1)) // once, and kept
+	err = firstDelete(events, limit) //@ await !only-delete
+	if err != nil { stopWatching(); break } // give up //@ unwatch-lost
+	stopWatching() // and look again //@ unwatch !read-again
+}
hstopWatching() // mine is the first //@ unwatch-first
 for _, item := range job { // the lock is mine //@ work
-	// nothing is checked before a write //@ check !no-own-deadline
+	if time.Now().After(deadline) { return lost() } //@ check !own-deadline
w	resource.Write(item, token) //@ write
n	cli.Put(ctx, key, item, clientv3.WithLease(lease.ID)) //@ write !noted-in-key
g	cli.Txn(ctx).If(createdAt(key, token)).Then(put(item)).Commit() // failed: lost //@ write !guarded-by-key
 }
 stopHeartbeat() //@ stop-heartbeat
-cli.Delete(ctx, key) //@ give-back !lease-left
-// lost: it has no way to know //@ lost
+cli.Revoke(ctx, lease.ID) //@ give-back !lease-revoked
+// lost(): believe no more, revoke //@ lost
 // heartbeat:
 time.Sleep(first) //@ beat-first
-for { cli.KeepAliveOnce(ctx, id) //@ beat !answer-not-read
-	time.Sleep(12 * time.Second) } //@ beat-sleep !one-loss-is-fatal
+for { sent := time.Now(); heed(sent)(cli.KeepAliveOnce(ctx, id)) //@ beat !answer-read
+	time.Sleep(period) } //@ beat-sleep
`,
  java: `
 String key = lock + "/" + UUID.randomUUID(); //@ begin
 long lease = leases.grant(15).get().getID(); //@ grant
-timer.scheduleAtFixedRate(heartbeat, 1, 12, SECONDS); //@ beat-first
+timer.scheduleAtFixedRate(heartbeat, first, period, SECONDS); //@ beat-first
 var put = kv.put(b(key), b(me), withLease(lease)).get(); //@ put
-long mine = put.getHeader().getRevision(); // else print the exception //@ !put-error-forgotten
-var all = kv.get(b(lock), GetOption.builder().isPrefix(true) //@ read !prefix-without-slash !order-by-mod
-    .withSortField(SortTarget.MOD).build()).get();
-if (!isFirst(all, mine)) {
-  var watcher = watch.watch(b(before(all, mine)), r -> latch.countDown()); //@ watch !watch-without-revision
-  latch.await(); //@ await !any-delete-is-mine
-  watcher.close(); //@ unwatch
-  // with a limit: watcher.close() and give up //@ unwatch-lost !key-left
-}
+for (;;) {
+  var all = kv.get(b(lock + "/"), GetOption.builder().isPrefix(true) //@ read !prefix-with-slash !order-by-create
+      .withSortField(SortTarget.CREATE).withSortOrder(SortOrder.ASCEND).build()).get();
+  if (isFirst(all, key)) break; // not there at all: lost
m  var from = WatchOption.builder().withNoPut(true)
m      .withRevision(all.getHeader().getRevision() + 1).build();
m  var watcher = watch.watch(b(before(all, key)), from, r -> latch.countDown()); //@ watch !watch-from-read
h  var all = WatchOption.builder().isPrefix(true).withRevision(mine + 1).build();
h  var watcher = watch.watch(b(lock + "/"), all, r -> latch.countDown()); // once //@ watch !all-wake
+  boolean deleted = latch.await(limit, SECONDS); //@ await !only-delete
+  if (!deleted) { watcher.close(); return giveUp(); } //@ unwatch-lost
+  watcher.close(); // and look again //@ unwatch !read-again
+}
hwatcher.close(); // mine is the first //@ unwatch-first
 for (var item : job) { // the lock is mine //@ work
-  // nothing is checked before a write //@ check !no-own-deadline
+  if (System.nanoTime() - deadline >= 0) throw new LockLost(); //@ check !own-deadline
w  resource.write(item, token); //@ write
n  kv.put(b(key), b(item), withLease(lease)).get(); //@ write !noted-in-key
g  kv.txn().If(createdAt(key, token)).Then(put(item)).commit(); // failed: lost //@ write !guarded-by-key
 }
 timer.shutdown(); //@ stop-heartbeat
-kv.delete(b(key)).get(); //@ give-back !lease-left
-// lost: it has no way to know //@ lost
+leases.revoke(lease).get(); //@ give-back !lease-revoked
+// catch (LockLost): believe no more, revoke //@ lost
 // heartbeat:
-leases.keepAliveOnce(lease); //@ beat !answer-not-read
-// the next after 12 s //@ beat-sleep !one-loss-is-fatal
+heed(sentAt, leases.keepAliveOnce(lease).get().getTTL()); //@ beat !answer-read
+// the next after the period //@ beat-sleep
`,
  typescript: `
 const key = lock + "/" + randomUUID(); //@ begin
 const lease = await etcd.grant(15); //@ grant
 const beating = heartbeat(lease);
 const put = await etcd.put(key, me, { lease }); //@ put
-// an error of it is only logged //@ !put-error-forgotten
-const all = await etcd.range({ prefix: lock, sort: "MOD" }); //@ read !prefix-without-slash !order-by-mod
-if (!isFirst(all.kvs, put.revision)) {
-  const watch = etcd.watch(before(all.kvs, put.revision)); //@ watch !watch-without-revision
-  await watch.next(); //@ await !any-delete-is-mine
-  watch.close(); //@ unwatch
-  // with a limit: watch.close() and give up //@ unwatch-lost !key-left
-}
+for (;;) {
+  const all = await etcd.range({ prefix: lock + "/", sort: "CREATE" }); //@ read !prefix-with-slash !order-by-create
+  if (isFirst(all.kvs, key)) break; // not there at all: lost
m  const watch = etcd.watch(before(all.kvs, key), { //@ watch !watch-from-read
m    from: all.revision + 1, only: "DELETE",
m  });
h  const watch = etcd.watch({ prefix: lock + "/", from: mine + 1 }); // once, and kept //@ watch !all-wake
+  const deleted = await within(limit, watch.next()); //@ await !only-delete
+  if (!deleted) { watch.close(); return giveUp(); } //@ unwatch-lost
+  watch.close(); // and look again //@ unwatch !read-again
+}
hwatch.close(); // mine is the first //@ unwatch-first
 for await (const item of job) { // the lock is mine //@ work
-  // nothing is checked before a write //@ check !no-own-deadline
+  if (performance.now() >= deadline) throw new LockLost(); //@ check !own-deadline
w  await resource.write(item, token); //@ write
n  await etcd.put(key, item, { lease }); //@ write !noted-in-key
g  await etcd.txn({ if: createdAt(key, token), then: put(item) }); // failed: lost //@ write !guarded-by-key
 }
 beating.stop(); //@ stop-heartbeat
-await etcd.delete(key); //@ give-back !lease-left
-// lost: it has no way to know //@ lost
+await etcd.revoke(lease); //@ give-back !lease-revoked
+// catch LockLost: believe no more, revoke //@ lost
 async function heartbeat(lease) {
   await sleep(first); //@ beat-first
   for (;;) {
-    void etcd.keepAliveOnce(lease); //@ beat !answer-not-read
-    await sleep(12_000); //@ beat-sleep !one-loss-is-fatal
+    heed(performance.now(), await etcd.keepAliveOnce(lease)); //@ beat !answer-read
+    await sleep(period); //@ beat-sleep
   }
 }
`,
  cli: `
 KEY=$LOCK/$(uuidgen) //@ begin
 LEASE=$(etcdctl lease grant 15 | cut -d' ' -f2) //@ grant
 heartbeat &
 etcdctl put --lease=$LEASE $KEY $ME -w json //@ put
-etcdctl get --prefix $LOCK --sort-by=MODIFY -w json //@ read !prefix-without-slash !order-by-mod
-# mine is not the first? watch the one before
-etcdctl watch $BEFORE | //@ watch !watch-without-revision
-  head -n 1 # any event //@ await !any-delete-is-mine
-# head has ended: so does the watch //@ unwatch
-# with a limit: end the watch, give up //@ unwatch-lost !key-left
+while true; do
+  etcdctl get --prefix $LOCK/ --sort-by=CREATE --order=ASCEND -w json //@ read !prefix-with-slash !order-by-create
+  # mine is the first? break. Not there at all? lost
m  etcdctl watch --rev=$((REV + 1)) $BEFORE | //@ watch !watch-from-read
h  etcdctl watch --prefix --rev=$((MINE + 1)) $LOCK/ | # once, and kept //@ watch !all-wake
+    timeout $LIMIT grep -m 1 '^DELETE' || //@ await !only-delete
+    give_up # the limit is over //@ unwatch-lost
+  # grep has ended: so does the watch; look again //@ unwatch !read-again
+done
h# mine is the first: end the watch //@ unwatch-first
 do_next_part # the lock is mine //@ work
-# nothing is checked before a write //@ check !no-own-deadline
+[ $(monotonic) -lt $DEADLINE ] || lost //@ check !own-deadline
wwrite_resource "$ITEM" "$TOKEN" //@ write
netcdctl put --lease=$LEASE $KEY "$ITEM" //@ write !noted-in-key
gtxn_if_created $KEY $TOKEN "$ITEM" || lost # etcdctl txn //@ write !guarded-by-key
 kill $HEARTBEAT //@ stop-heartbeat
-etcdctl del $KEY //@ give-back !lease-left
-# lost: it has no way to know //@ lost
+etcdctl lease revoke $LEASE //@ give-back !lease-revoked
+# lost: believe no more, revoke //@ lost
 # heartbeat:
 sleep $FIRST //@ beat-first
 while true; do
-  etcdctl lease keep-alive --once $LEASE >/dev/null //@ beat !answer-not-read
-  sleep 12 //@ beat-sleep !one-loss-is-fatal
+  etcdctl lease keep-alive --once $LEASE | heed $(monotonic) //@ beat !answer-read
+  sleep $PERIOD //@ beat-sleep
 done
`,
};

export const ETCD_FAIR_PUBLISHED: Listings = variantOf(BOTH, "-w");
export const ETCD_FAIR_MENDED: Listings = variantOf(BOTH, "+mw");
/** As mended, but what it writes is guarded in the store; and with a watch on all. */
export const ETCD_FAIR_GUARDED: Listings = variantOf(BOTH, "+mg");
export const ETCD_FAIR_HERD: Listings = variantOf(BOTH, "+hw");
export const ETCD_FAIR_PUBLISHED_NOTING: Listings = variantOf(BOTH, "-n");
export const ETCD_FAIR_MENDED_NOTING: Listings = variantOf(BOTH, "+mn");
