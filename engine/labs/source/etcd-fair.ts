/**
 * The fair lock of etcd in five languages. Both programs in one text: a line that begins with `-` is only in the published
 * one, with `+` only in the mended one. Calls are those of clientv3, jetcd (`b` makes a ByteSequence) and etcdctl.
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
-  (with a limit: end the watch, give up) //@ unwatch-lost
+put(key, me, lease); on error: give back //@ put
+loop:
+  all, now ← range(lock/…, by create revision) //@ read !prefix-with-slash !order-by-create
+  is mine the first? leave the loop. Is it not there? lost
+  watch(the one before mine), from now + 1 //@ watch !watch-from-read
+  wait for its DELETE, at most limit //@ await !only-delete
+  the limit is over: end the watch, give up //@ unwatch-lost
+  end the watch, and look again //@ unwatch !read-again
 I hold the lock: work //@ work
-  (before a write nothing is checked) //@ check !no-own-deadline
+  before each write: is my own deadline over? lost //@ check !own-deadline
   write //@ write
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
-	// with a limit: stopWatching() and give up //@ unwatch-lost
-}
+for err == nil {
+	all, _ := cli.Get(ctx, lock+"/", clientv3.WithPrefix(), //@ read !prefix-with-slash !order-by-create
+		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
+	before, place := predecessor(all.Kvs, key) // place < 0: lost
+	if place == 0 { break }
+	events := cli.Watch(wctx, before, clientv3.WithFilterPut(), //@ watch !watch-from-read
+		clientv3.WithRev(all.Header.Revision+1))
+	err = firstDelete(events, limit) //@ await !only-delete
+	if err != nil { stopWatching(); break } // give up //@ unwatch-lost
+	stopWatching() // and look again //@ unwatch !read-again
+}
 for _, item := range job { // the lock is mine //@ work
-	// nothing is checked before a write //@ check !no-own-deadline
+	if time.Now().After(deadline) { return lost() } //@ check !own-deadline
 	resource.Write(item, token) //@ write
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
-  // with a limit: watcher.close() and give up //@ unwatch-lost
-}
+for (;;) {
+  var all = kv.get(b(lock + "/"), GetOption.builder().isPrefix(true) //@ read !prefix-with-slash !order-by-create
+      .withSortField(SortTarget.CREATE).withSortOrder(SortOrder.ASCEND).build()).get();
+  if (isFirst(all, key)) break; // not there at all: lost
+  var from = WatchOption.builder().withNoPut(true)
+      .withRevision(all.getHeader().getRevision() + 1).build();
+  var watcher = watch.watch(b(before(all, key)), from, r -> latch.countDown()); //@ watch !watch-from-read
+  boolean deleted = latch.await(limit, SECONDS); //@ await !only-delete
+  if (!deleted) { watcher.close(); return giveUp(); } //@ unwatch-lost
+  watcher.close(); // and look again //@ unwatch !read-again
+}
 for (var item : job) { // the lock is mine //@ work
-  // nothing is checked before a write //@ check !no-own-deadline
+  if (System.nanoTime() - deadline >= 0) throw new LockLost(); //@ check !own-deadline
   resource.write(item, token); //@ write
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
-  // with a limit: watch.close() and give up //@ unwatch-lost
-}
+for (;;) {
+  const all = await etcd.range({ prefix: lock + "/", sort: "CREATE" }); //@ read !prefix-with-slash !order-by-create
+  if (isFirst(all.kvs, key)) break; // not there at all: lost
+  const watch = etcd.watch(before(all.kvs, key), { //@ watch !watch-from-read
+    from: all.revision + 1, only: "DELETE",
+  });
+  const deleted = await within(limit, watch.next()); //@ await !only-delete
+  if (!deleted) { watch.close(); return giveUp(); } //@ unwatch-lost
+  watch.close(); // and look again //@ unwatch !read-again
+}
 for await (const item of job) { // the lock is mine //@ work
-  // nothing is checked before a write //@ check !no-own-deadline
+  if (performance.now() >= deadline) throw new LockLost(); //@ check !own-deadline
   await resource.write(item, token); //@ write
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
-# with a limit: end the watch, give up //@ unwatch-lost
+while true; do
+  etcdctl get --prefix $LOCK/ --sort-by=CREATE --order=ASCEND -w json //@ read !prefix-with-slash !order-by-create
+  # mine is the first? break. Not there at all? lost
+  etcdctl watch --rev=$((REV + 1)) $BEFORE | //@ watch !watch-from-read
+    timeout $LIMIT grep -m 1 '^DELETE' || //@ await !only-delete
+    give_up # the limit is over //@ unwatch-lost
+  # grep has ended: so does the watch; look again //@ unwatch !read-again
+done
 do_next_part # the lock is mine //@ work
-# nothing is checked before a write //@ check !no-own-deadline
+[ $(monotonic) -lt $DEADLINE ] || lost //@ check !own-deadline
 write_resource "$ITEM" "$TOKEN" //@ write
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

export const ETCD_FAIR_PUBLISHED: Listings = variantOf(BOTH, "-");
export const ETCD_FAIR_MENDED: Listings = variantOf(BOTH, "+");
