/**
 * The lock by one transaction of etcd in five languages. Three programs in one text: `-` is the published one, whose loser
 * gives up; `+` the one that tries again; `*` the one that watches.
 */
import { type Listings, variantOf } from "./listing.ts";

const ALL: Listings = {
  pseudo: `
 I am a client with a name //@ begin
 lease ← grant(5 s); start heartbeat //@ grant
 ask: one transaction, done whole or not at all: //@ txn
   if the create revision of lock is 0 (there is none):
     put(lock, me, lease)
   else: get(lock), and so learn who holds
-not created: give up //@ give-up !loser-gives-up
+not created: sleep 1 s //@ pause !polls
+  and ask again
*not created: watch(lock), from the answer's revision + 1 //@ watch !watch-from-read
*  wait for its DELETE //@ await !all-wake
*  end the watch, and ask again //@ unwatch
 I hold the lock: work //@ work
   before each write: is my own deadline over (if I keep one)? //@ check
   write //@ write
 stop heartbeat //@ stop-heartbeat
 revoke(lease): the key goes with it //@ revoke
 when lost: believe no more, revoke //@ lost

 heartbeat:
   renew(lease) //@ beat
-  the lease is gone: the answer is nil, and its ID is printed //@ !nil-dereferenced
+  TTL 0: lost, for a client that counts its own deadline
*  TTL 0: lost, for a client that counts its own deadline
   sleep for the period; again //@ beat-sleep
`,
  go: `
 ctx, cancel := context.WithCancel(context.Background()) //@ begin
 lease, err := cli.Grant(ctx, 5) //@ grant
 go heartbeat(lease.ID)
+ask:
*ask:
 answer, err := cli.Txn(ctx). //@ txn
 	If(clientv3.Compare(clientv3.CreateRevision(lock), "=", 0)).
 	Then(clientv3.OpPut(lock, me, clientv3.WithLease(lease.ID))).
 	Else(clientv3.OpGet(lock)).Commit()
 if !answer.Succeeded {
-	return errTaken // the deferred revoke runs //@ give-up !loser-gives-up
+	time.Sleep(time.Second) //@ pause !polls
+	goto ask
*	events := cli.Watch(wctx, lock, clientv3.WithFilterPut(), //@ watch !watch-from-read
*		clientv3.WithRev(answer.Header.Revision+1))
*	<-events // the DELETE //@ await !all-wake
*	stopWatching() //@ unwatch
*	goto ask
 }
 for _, item := range job { // the lock is mine //@ work
 	if keepsDeadline && time.Now().After(deadline) { return lost() } //@ check
 	resource.Write(item, answer.Header.Revision) //@ write
 }
 cancel() //@ stop-heartbeat
 cli.Revoke(context.Background(), lease.ID) // takes the key along //@ revoke
 // lost(): believe no more, revoke //@ lost
 // heartbeat:
 answers, err := cli.KeepAlive(ctx, lease.ID)
 for {
 	r := <-answers // nil once the lease is gone //@ beat
-	if answers == nil { break } // meant: r == nil //@ !nil-check-on-channel
-	fmt.Println(r.ID) //@ !nil-dereferenced
+	if r == nil { lost() } // if it keeps its own deadline //@ !nil-check-on-answer
*	if r == nil { lost() } // if it keeps its own deadline //@ !nil-check-on-answer
 	// the client sends one each TTL/3 //@ beat-sleep
 }
`,
  java: `
 String me = UUID.randomUUID().toString(); //@ begin
 long lease = leases.grant(5).get().getID(); //@ grant
 var beating = leases.keepAlive(lease, heartbeat);
-var answer = kv.txn() //@ txn
+TxnResponse answer;
+while (!(answer = kv.txn() //@ txn
*TxnResponse answer;
*while (!(answer = kv.txn() //@ txn
     .If(new Cmp(b(lock), Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
     .Then(Op.put(b(lock), b(me), withLease(lease)))
     .Else(Op.get(b(lock), GetOption.DEFAULT))
-    .commit().get();
-if (!answer.isSucceeded()) return giveUp(); //@ give-up !loser-gives-up
+    .commit().get()).isSucceeded())
+  SECONDS.sleep(1); //@ pause !polls
*    .commit().get()).isSucceeded()) {
*  var from = WatchOption.builder().withNoPut(true)
*      .withRevision(answer.getHeader().getRevision() + 1).build();
*  var watcher = watch.watch(b(lock), from, r -> latch.countDown()); //@ watch !watch-from-read
*  latch.await(); // a new one each time //@ await !all-wake
*  watcher.close(); //@ unwatch
*}
 for (var item : job) { // the lock is mine //@ work
   if (keepsDeadline && System.nanoTime() - deadline >= 0) throw new LockLost(); //@ check
   resource.write(item, answer.getHeader().getRevision()); //@ write
 }
 beating.close(); //@ stop-heartbeat
 leases.revoke(lease).get(); // takes the key along //@ revoke
 // catch (LockLost): believe no more, revoke //@ lost
 // heartbeat, a StreamObserver of answers:
-onNext(r) -> last = r; //@ beat
-onCompleted() -> { last = null; print(last.getID()); } //@ !nil-dereferenced
+onNext(r) -> deadline = sentAt + r.getTTL(); //@ beat !answer-read
+onError(e), onCompleted() -> lost(); // if it keeps its own deadline
*onNext(r) -> deadline = sentAt + r.getTTL(); //@ beat !answer-read
*onError(e), onCompleted() -> lost(); // if it keeps its own deadline
 // the client sends one each TTL/3 //@ beat-sleep
`,
  typescript: `
 const me = randomUUID(); //@ begin
 const lease = await etcd.grant(5); //@ grant
 const beating = heartbeat(lease);
-const answer = await etcd.txn({ //@ txn
+let answer;
+while (!(answer = await etcd.txn({ //@ txn
*let answer;
*while (!(answer = await etcd.txn({ //@ txn
   if: [createRevision(lock).equals(0)],
   then: [put(lock, me, { lease })],
   else: [get(lock)],
-});
-if (!answer.succeeded) return giveUp(); //@ give-up !loser-gives-up
+})).succeeded)
+  await sleep(1000); //@ pause !polls
*})).succeeded) {
*  const watch = etcd.watch(lock, { //@ watch !watch-from-read
*    from: answer.revision + 1, only: "DELETE",
*  });
*  await watch.next(); //@ await !all-wake
*  watch.close(); //@ unwatch
*}
 for await (const item of job) { // the lock is mine //@ work
   if (keepsDeadline && performance.now() >= deadline) throw new LockLost(); //@ check
   await resource.write(item, answer.revision); //@ write
 }
 beating.stop(); //@ stop-heartbeat
 await etcd.revoke(lease); // takes the key along //@ revoke
 // catch LockLost: believe no more, revoke //@ lost
 async function heartbeat(lease) {
   for (;;) {
     const { ttl } = await etcd.keepAliveOnce(lease); //@ beat
-    if (ttl <= 0) console.log(lease.answer.id); // there is none //@ !nil-dereferenced
+    if (ttl <= 0) lost(); // if it keeps its own deadline //@ !answer-read
*    if (ttl <= 0) lost(); // if it keeps its own deadline //@ !answer-read
     await sleep(period); //@ beat-sleep
   }
 }
`,
  cli: `
 ME=$(uuidgen) //@ begin
 LEASE=$(etcdctl lease grant 5 | cut -d' ' -f2) //@ grant
 heartbeat &
+while true; do
*while true; do
 etcdctl txn -w json <<EOF //@ txn
 create("$LOCK") = "0"

 put --lease=$LEASE $LOCK $ME

 get $LOCK

 EOF
-# "succeeded" is not there: taken
-give_up //@ give-up !loser-gives-up
+# "succeeded": break
+sleep 1 //@ pause !polls
+done
*# "succeeded": break
*etcdctl watch --rev=$((REV + 1)) $LOCK | //@ watch !watch-from-read
*  grep -m 1 '^DELETE' //@ await !all-wake
*# grep has ended: so does the watch //@ unwatch
*done
 do_next_part # the lock is mine //@ work
 [ -z "$DEADLINE" ] || [ $(monotonic) -lt $DEADLINE ] || lost //@ check
 write_resource "$ITEM" "$REV" //@ write
 kill $HEARTBEAT //@ stop-heartbeat
 etcdctl lease revoke $LEASE # takes the key along //@ revoke
 # lost: believe no more, revoke //@ lost
 # heartbeat:
 while true; do
-  etcdctl lease keep-alive --once $LEASE || kill $$ # all of it //@ beat !nil-dereferenced
+  etcdctl lease keep-alive --once $LEASE | heed $(monotonic) //@ beat !answer-read
*  etcdctl lease keep-alive --once $LEASE | heed $(monotonic) //@ beat !answer-read
   sleep $PERIOD //@ beat-sleep
 done
`,
};

export const ETCD_TXN_PUBLISHED: Listings = variantOf(ALL, "-");
export const ETCD_TXN_RETRY: Listings = variantOf(ALL, "+");
export const ETCD_TXN_WATCH: Listings = variantOf(ALL, "*");
