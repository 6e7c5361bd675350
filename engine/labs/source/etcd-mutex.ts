/**
 * etcd's own mutex, as its library does it, in five languages. Two programs in one text: `-` is 3.4, `+` is 3.5, which reads
 * its own key before it believes.
 */
import { type Listings, variantOf } from "./listing.ts";

const BOTH: Listings = {
  pseudo: `
 lease ← grant(ttl); start heartbeat: a session //@ session
 key ← lock + "/" + lease in hex
 one transaction: //@ txn
   if the create revision of key is 0: put(key, "", lease) else get(key)
   and get the oldest key of lock/…
 rev ← create revision of my key; the oldest is mine? I hold the lock
 loop:
   before ← the youngest of lock/… that is older than rev //@ read-before
   nobody? leave the loop
   watch(before), from the read's revision //@ watch
   wait for its DELETE //@ await
   end the watch //@ unwatch
-believe //@ !own-key-not-read
+get(key): is it gone? then I am expired //@ read-own !own-key-read
 I hold the lock: work //@ work
   before each write: is my own deadline over (if I keep one)? //@ check
   write //@ write
 delete(key), stop heartbeat //@ unlock
 revoke(lease) //@ close
 when expired: give up; nothing is left to delete //@ expired

 heartbeat:
   renew(lease); TTL 0: the session is done //@ beat
   sleep TTL/3; again //@ beat-sleep
`,
  go: `
 session, err := concurrency.NewSession(cli, concurrency.WithTTL(ttl)) //@ session
 key := fmt.Sprintf("%s/%x", lock, session.Lease())
 // mutex.Lock(ctx), step by step:
 create := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
 put := clientv3.OpPut(key, "", clientv3.WithLease(session.Lease()))
 oldest := clientv3.OpGet(lock+"/", clientv3.WithFirstCreate()...)
 r, err := cli.Txn(ctx).If(create).Then(put, oldest). //@ txn
 	Else(clientv3.OpGet(key), oldest).Commit()
 rev := createRevision(r) // of my key
 for !isOldest(r, rev) {
 	before, err := cli.Get(ctx, lock+"/", append(clientv3.WithLastCreate(), //@ read-before
 		clientv3.WithMaxCreateRev(rev-1))...)
 	if len(before.Kvs) == 0 { break }
 	events := cli.Watch(wctx, string(before.Kvs[0].Key), //@ watch
 		clientv3.WithRev(before.Header.Revision))
 	firstDelete(events) //@ await
 	stopWatching() //@ unwatch
 }
-// returns nil: the lock is mine //@ !own-key-not-read
+own, err := cli.Get(ctx, key) //@ read-own !own-key-read
+if len(own.Kvs) == 0 { return concurrency.ErrSessionExpired }
 for _, item := range job { // the lock is mine //@ work
 	if keepsDeadline && time.Now().After(deadline) { return expired() } //@ check
 	resource.Write(item, rev) //@ write
 }
 cli.Delete(ctx, key) // mutex.Unlock(ctx) //@ unlock
 session.Close() // revokes the lease //@ close
 // expired(): give up; nothing is left to delete //@ expired
 // heartbeat, inside the session:
 for range answers { // ends when the lease is gone: session.Done() //@ beat
 	// the client sends one each TTL/3 //@ beat-sleep
 }
`,
  java: `
 long lease = leases.grant(ttl).get().getID(); //@ session
 var beating = leases.keepAlive(lease, heartbeat);
 String key = lock + "/" + Long.toHexString(lease);
 var oldest = Op.get(b(lock + "/"), oldestOfPrefix);
 var r = kv.txn() //@ txn
     .If(new Cmp(b(key), Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
     .Then(Op.put(b(key), b(""), withLease(lease)), oldest)
     .Else(Op.get(b(key), GetOption.DEFAULT), oldest).commit().get();
 long rev = createRevision(r); // of my key
 while (!isOldest(r, rev)) {
   var before = kv.get(b(lock + "/"), youngestUpTo(rev - 1)).get(); //@ read-before
   if (before.getKvs().isEmpty()) break;
   var from = WatchOption.builder()
       .withRevision(before.getHeader().getRevision()).build();
   var watcher = watch.watch(keyOf(before), from, onDelete(latch)); //@ watch
   latch.await(); //@ await
   watcher.close(); //@ unwatch
 }
-// the lock is mine //@ !own-key-not-read
+if (kv.get(b(key)).get().getKvs().isEmpty()) throw new Expired(); //@ read-own !own-key-read
 for (var item : job) { //@ work
   if (keepsDeadline && System.nanoTime() - deadline >= 0) throw new Expired(); //@ check
   resource.write(item, rev); //@ write
 }
 kv.delete(b(key)).get(); beating.close(); //@ unlock
 leases.revoke(lease).get(); //@ close
 // catch (Expired): give up; nothing is left to delete //@ expired
 // heartbeat, a StreamObserver of answers:
 onNext(r) -> deadline = sentAt + r.getTTL(); // ends: expired //@ beat
 // the client sends one each TTL/3 //@ beat-sleep
`,
  typescript: `
 const lease = await etcd.grant(ttl); //@ session
 const beating = heartbeat(lease);
 const key = lock + "/" + lease.toString(16);
 const oldest = range({ prefix: lock + "/", sort: "CREATE", limit: 1 });
 const r = await etcd.txn({ //@ txn
   if: [createRevision(key).equals(0)],
   then: [put(key, "", { lease }), oldest],
   else: [get(key), oldest],
 });
 const rev = createRevisionOf(key, r);
 while (!isOldest(r, rev)) {
   const before = await etcd.range({ prefix: lock + "/", maxCreate: rev - 1, //@ read-before
     sort: "CREATE", descending: true, limit: 1 });
   if (before.kvs.length === 0) break;
   const watch = etcd.watch(before.kvs[0].key, { from: before.revision }); //@ watch
   await watch.deleted(); //@ await
   watch.close(); //@ unwatch
 }
-// the lock is mine //@ !own-key-not-read
+if ((await etcd.get(key)) === null) throw new Expired(); //@ read-own !own-key-read
 for await (const item of job) { //@ work
   if (keepsDeadline && performance.now() >= deadline) throw new Expired(); //@ check
   await resource.write(item, rev); //@ write
 }
 await etcd.delete(key); beating.stop(); //@ unlock
 await etcd.revoke(lease); //@ close
 // catch Expired: give up; nothing is left to delete //@ expired
 async function heartbeat(lease) {
   while ((await etcd.keepAliveOnce(lease)).ttl > 0) //@ beat
     await sleep(ttl / 3); //@ beat-sleep
 }
`,
  cli: `
 # "etcdctl lock $LOCK" does all this; step by step:
 LEASE=$(etcdctl lease grant $TTL | cut -d' ' -f2) //@ session
 heartbeat &
 KEY=$LOCK/$LEASE
 etcdctl txn -w json <<EOF //@ txn
 create("$KEY") = "0"

 put --lease=$LEASE $KEY ""
 get --prefix --limit=1 --sort-by=CREATE $LOCK/

 get $KEY
 get --prefix --limit=1 --sort-by=CREATE $LOCK/

 EOF
 while true; do # unless mine is the oldest
   etcdctl get --prefix $LOCK/ --sort-by=CREATE -w json | older_than $REV //@ read-before
   # nobody? break
   etcdctl watch --rev=$READ_AT $BEFORE | //@ watch
     grep -m 1 '^DELETE' //@ await
   # grep has ended: so does the watch //@ unwatch
 done
-# the lock is mine //@ !own-key-not-read
+[ -n "$(etcdctl get --keys-only $KEY)" ] || expired //@ read-own !own-key-read
 do_next_part //@ work
 [ -z "$DEADLINE" ] || [ $(monotonic) -lt $DEADLINE ] || expired //@ check
 write_resource "$ITEM" "$REV" //@ write
 etcdctl del $KEY; kill $HEARTBEAT //@ unlock
 etcdctl lease revoke $LEASE //@ close
 # expired: give up; nothing is left to delete //@ expired
 # heartbeat, once each:
 etcdctl lease keep-alive --once $LEASE || exit //@ beat
 sleep $((TTL / 3)) //@ beat-sleep
`,
};

export const ETCD_MUTEX_34: Listings = variantOf(BOTH, "-");
export const ETCD_MUTEX_35: Listings = variantOf(BOTH, "+");
