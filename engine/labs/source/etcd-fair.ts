/**
 * The fair lock of etcd in five languages. Both programs in one text: a line that begins with `-` is only in the published
 * one, with `+` only in the mended one.
 */
import { type Listings, variantOf } from "./listing.ts";

const BOTH: Listings = {
  pseudo: `
 key ← lock + "/" + uuid //@ begin
 lease ← grant(15 s) //@ grant
 start heartbeat
 put(key, me, lease); rev ← revision of the answer //@ put
-all ← range(prefix lock, by mod revision) //@ read !prefix !order
+again: all, at ← range(prefix lock + "/", by create revision) //@ read !prefix !order
 if mine is not the first:
-  watch(the one before mine), from now //@ watch !watch-from-now
+  watch(the one before mine), from at + 1, deletes only //@ watch !watch-from-now
-  wait for any event //@ await !any-event
+  wait for its DELETE, at most limit //@ await !any-event
   end the watch //@ unwatch
+  go to again //@ unwatch !any-event
+  when the limit is over: end the watch, give up //@ unwatch-lost
 I hold the lock: work //@ work
+  before each write: is my own deadline over? //@ check !own-deadline
-  (nothing is looked at before a write) //@ check !own-deadline
   write //@ write
 stop heartbeat //@ stop-heartbeat
-when lost: (never noticed) //@ lost unwatch-lost !renewal-dropped
+when lost: stop at once //@ lost !renewal-dropped
-delete(key) //@ give-back !lease-left
+revoke(lease) //@ give-back !lease-left
 heartbeat:
   sleep until the first beat //@ beat-first
-  renew(lease), drop the answer //@ beat !renewal-dropped
+  renew(lease); TTL 0: lost; else deadline ← sent + TTL //@ beat !renewal-dropped
   sleep until the next beat //@ beat-sleep
`,
  go: `
 key := lock + "/" + uuid.NewString() //@ begin
 lease, err := cli.Grant(ctx, 15) //@ grant
 go heartbeat(lease.ID)
 put, err := cli.Put(ctx, key, me, clientv3.WithLease(lease.ID)) //@ put
-all, err := cli.Get(ctx, lock, clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByModRevision, clientv3.SortAscend)) //@ read !prefix !order
+again:
+all, err := cli.Get(ctx, lock+"/", clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend)) //@ read !prefix !order
 if before := predecessor(all.Kvs, key); before != "" {
-	events := cli.Watch(wctx, before) //@ watch !watch-from-now
+	events := cli.Watch(wctx, before, clientv3.WithRev(all.Header.Revision+1), clientv3.WithFilterPut()) //@ watch !watch-from-now
-	<-events //@ await !any-event
+	waitForDelete(events, limit) //@ await !any-event
 	stopWatching() //@ unwatch
+	goto again //@ unwatch !any-event
+	// limit is over: stopWatching(), give up //@ unwatch-lost
 }
 work() //@ work
+	if time.Now().After(deadline) { return errLost } //@ check !own-deadline
-	// no look at the clock before a write //@ check !own-deadline
 	resource.Write(value, put.Header.Revision) //@ write
 stopHeartbeat() //@ stop-heartbeat
-// a lost lease is never noticed //@ lost unwatch-lost !renewal-dropped
+// on errLost: stop at once //@ lost !renewal-dropped
-cli.Delete(ctx, key) //@ give-back !lease-left
+cli.Revoke(ctx, lease.ID) //@ give-back !lease-left
 func heartbeat(id clientv3.LeaseID) {
 	time.Sleep(first) //@ beat-first
 	for {
-		cli.KeepAliveOnce(ctx, id) //@ beat !renewal-dropped
+		sent := time.Now(); r, err := cli.KeepAliveOnce(ctx, id); heed(r, err, sent) //@ beat !renewal-dropped
 		time.Sleep(period) //@ beat-sleep
 	}
 }
`,
  java: `
 String key = lock + "/" + UUID.randomUUID(); //@ begin
 long lease = leaseClient.grant(15).get().getID(); //@ grant
 timer.scheduleAtFixedRate(heartbeat, 1, 12, SECONDS);
 long revision = kv.put(key, me, withLease(lease)).get().getHeader().getRevision(); //@ put
-var all = kv.get(lock, prefixed(lock).withSortField(MOD)).get().getKvs(); //@ read !prefix !order
+var all = kv.get(lock + "/", prefixed(lock + "/").withSortField(CREATE)).get(); //@ read !prefix !order
 if (!isFirst(all, key)) {
-  watch.watch(before(all, key), listener); //@ watch !watch-from-now
+  watch.watch(before(all, key), fromRevision(all.getHeader().getRevision() + 1), listener); //@ watch !watch-from-now
-  anyEvent.await(); //@ await !any-event
+  deleted.await(limit); //@ await !any-event
   watcher.close(); //@ unwatch
+  continue; // read again //@ unwatch !any-event
+  // limit is over: watcher.close(), give up //@ unwatch-lost
 }
 work(); //@ work
+  if (System.nanoTime() >= deadline) throw new LockLost(); //@ check !own-deadline
-  // no look at the clock before a write //@ check !own-deadline
   resource.write(value, revision); //@ write
 timer.shutdown(); //@ stop-heartbeat
-// a lost lease is never noticed //@ lost unwatch-lost !renewal-dropped
+// catch LockLost: stop at once //@ lost !renewal-dropped
-kv.delete(key).get(); //@ give-back !lease-left
+leaseClient.revoke(lease).get(); //@ give-back !lease-left
 Runnable heartbeat = () -> { // first after 1 s //@ beat-first
-  leaseClient.keepAliveOnce(lease); //@ beat !renewal-dropped
+  heed(leaseClient.keepAliveOnce(lease).get().getTTL()); //@ beat !renewal-dropped
 }; // next after 12 s //@ beat-sleep
`,
  typescript: `
 const key = \`\${lock}/\${randomUUID()}\`; //@ begin
 const lease = await client.grant(15); //@ grant
 const timer = heartbeat(lease);
 const { revision } = await client.put(key, me, { lease }); //@ put
-const all = await client.range(prefix(lock), { sort: "mod" }); //@ read !prefix !order
+const all = await client.range(prefix(lock + "/"), { sort: "create" }); //@ read !prefix !order
 if (!isFirst(all, key)) {
-  const watch = client.watch(before(all, key)); //@ watch !watch-from-now
+  const watch = client.watch(before(all, key), { from: all.revision + 1, only: "DELETE" }); //@ watch !watch-from-now
-  await watch.next(); //@ await !any-event
+  await watch.deleted(limit); //@ await !any-event
   watch.close(); //@ unwatch
+  continue; // read again //@ unwatch !any-event
+  // limit is over: watch.close(), give up //@ unwatch-lost
 }
 await work(); //@ work
+  if (performance.now() >= deadline) throw new LockLost(); //@ check !own-deadline
-  // no look at the clock before a write //@ check !own-deadline
   await resource.write(value, revision); //@ write
 timer.stop(); //@ stop-heartbeat
-// a lost lease is never noticed //@ lost unwatch-lost !renewal-dropped
+// on LockLost: stop at once //@ lost !renewal-dropped
-await client.delete(key); //@ give-back !lease-left
+await client.revoke(lease); //@ give-back !lease-left
 async function heartbeat(lease) {
   await sleep(first); //@ beat-first
   for (;;) {
-    void client.keepAliveOnce(lease); //@ beat !renewal-dropped
+    heed(await client.keepAliveOnce(lease)); //@ beat !renewal-dropped
     await sleep(period); //@ beat-sleep
   }
 }
`,
  cli: `
 KEY=$LOCK/$(uuidgen) //@ begin
 LEASE=$(etcdctl lease grant 15 | cut -d' ' -f2) //@ grant
 heartbeat &
 etcdctl put --lease=$LEASE $KEY me //@ put
-etcdctl get --prefix $LOCK --sort-by=MODIFY --order=ASCEND //@ read !prefix !order
+etcdctl get --prefix $LOCK/ --sort-by=CREATE --order=ASCEND -w json //@ read !prefix !order
 # not the first? then watch the one before
-etcdctl watch $BEFORE //@ watch !watch-from-now
+etcdctl watch --rev=$((REV + 1)) $BEFORE //@ watch !watch-from-now
-# any event //@ await !any-event
+# DELETE only, at most $LIMIT //@ await !any-event
 # interrupt the watch //@ unwatch
+# and get --prefix again //@ unwatch !any-event
+# limit is over: give up //@ unwatch-lost
 # hold the lock: work //@ work
+[ $(now) -lt $DEADLINE ] || exit 1 //@ check !own-deadline
-# no look at the clock before a write //@ check !own-deadline
 write_resource "$VALUE" //@ write
 kill %1 //@ stop-heartbeat
-# a lost lease is never noticed //@ lost unwatch-lost !renewal-dropped
+# lost: stop at once //@ lost !renewal-dropped
-etcdctl del $KEY //@ give-back !lease-left
+etcdctl lease revoke $LEASE //@ give-back !lease-left
 # heartbeat: sleep 1 //@ beat-first
-etcdctl lease keep-alive --once $LEASE >/dev/null //@ beat !renewal-dropped
+etcdctl lease keep-alive --once $LEASE || LOST=1 //@ beat !renewal-dropped
 sleep 12 //@ beat-sleep
`,
};

export const ETCD_FAIR_PUBLISHED: Listings = variantOf(BOTH, "-");
export const ETCD_FAIR_MENDED: Listings = variantOf(BOTH, "+");
