/**
 * etcd's election in five languages. Two programs in one text: `-` as the library does it, `+` mended: it reads its own key
 * before it believes. And one who only observes.
 */
import { type Listings, variantOf } from "./listing.ts";

const BOTH: Listings = {
  pseudo: `
 lease ← grant(ttl); start heartbeat: a session //@ session
 key ← election + "/" + lease in hex
 if the create revision of key is 0: put(key, my name, lease) //@ campaign
 rev ← create revision of my key
 loop:
   before ← the youngest of election/… that is older than rev //@ read-before
   nobody? leave the loop
   watch(before), from the read's revision //@ watch
   wait for its DELETE //@ await
   end the watch //@ unwatch
-elected //@ !own-key-not-read
+get(key): is it gone? then I am expired //@ read-own !own-key-read
 I lead: do the job //@ work
   before each write: is my own deadline over (if I keep one)? //@ check
   write, with rev as the token //@ write
 resign: if the create revision of key is rev: delete(key) //@ resign
 revoke(lease) //@ close
 when expired: give up; nothing is left to delete //@ expired
 heartbeat:
   renew(lease); TTL 0: the session is done //@ beat
   sleep TTL/3; again //@ beat-sleep
`,
  go: `
 session, err := concurrency.NewSession(cli, concurrency.WithTTL(ttl)) //@ session
 key := fmt.Sprintf("%s/%x", name, session.Lease())
 // election.Campaign(ctx, me), step by step:
 create := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
 r, err := cli.Txn(ctx).If(create). //@ campaign
 	Then(clientv3.OpPut(key, me, clientv3.WithLease(session.Lease()))).
 	Else(clientv3.OpGet(key)).Commit()
 rev := createRevision(r)
 for {
 	before, err := cli.Get(ctx, name+"/", append(clientv3.WithLastCreate(), //@ read-before
 		clientv3.WithMaxCreateRev(rev-1))...)
 	if len(before.Kvs) == 0 { break }
 	events := cli.Watch(wctx, string(before.Kvs[0].Key), //@ watch
 		clientv3.WithRev(before.Header.Revision))
 	firstDelete(events) //@ await
 	stopWatching() //@ unwatch
 }
-// returns nil: elected //@ !own-key-not-read
+own, err := cli.Get(ctx, key) //@ read-own !own-key-read
+if len(own.Kvs) == 0 { return concurrency.ErrSessionExpired }
 for _, item := range job { // I lead //@ work
 	if keepsDeadline && time.Now().After(deadline) { return expired() } //@ check
 	resource.Write(item, rev) //@ write
 }
 election.Resign(ctx) // a txn that asks for rev //@ resign
 session.Close() // revokes the lease //@ close
 // expired(): give up; nothing is left to delete //@ expired
 for range answers { // ends when the lease is gone: session.Done() //@ beat
 	// the client sends one each TTL/3 //@ beat-sleep
 }
`,
  java: `
 long lease = leases.grant(ttl).get().getID(); //@ session
 var beating = leases.keepAlive(lease, heartbeat);
 String key = name + "/" + Long.toHexString(lease);
 var r = kv.txn() //@ campaign
     .If(new Cmp(b(key), Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
     .Then(Op.put(b(key), b(me), withLease(lease)))
     .Else(Op.get(b(key), GetOption.DEFAULT)).commit().get();
 long rev = createRevision(r);
 while (true) {
   var before = kv.get(b(name + "/"), youngestUpTo(rev - 1)).get(); //@ read-before
   if (before.getKvs().isEmpty()) break;
   var watcher = watch.watch(keyOf(before), from(before), onDelete(latch)); //@ watch
   latch.await(); //@ await
   watcher.close(); //@ unwatch
 }
-// elected //@ !own-key-not-read
+if (kv.get(b(key)).get().getKvs().isEmpty()) throw new Expired(); //@ read-own !own-key-read
 for (var item : job) { // I lead //@ work
   if (keepsDeadline && System.nanoTime() - deadline >= 0) throw new Expired(); //@ check
   resource.write(item, rev); //@ write
 }
 election.resign(leaderKey).get(); beating.close(); //@ resign
 leases.revoke(lease).get(); //@ close
 // catch (Expired): give up; nothing is left to delete //@ expired
 onNext(r) -> deadline = sentAt + r.getTTL(); // ends: expired //@ beat
 // the client sends one each TTL/3 //@ beat-sleep
`,
  typescript: `
 const lease = await etcd.grant(ttl); //@ session
 const beating = heartbeat(lease);
 const key = name + "/" + lease.toString(16);
 const r = await etcd.txn({ //@ campaign
   if: [createRevision(key).equals(0)],
   then: [put(key, me, { lease })],
   else: [get(key)],
 });
 const rev = createRevisionOf(key, r);
 for (;;) {
   const before = await etcd.range({ prefix: name + "/", maxCreate: rev - 1, //@ read-before
     sort: "CREATE", descending: true, limit: 1 });
   if (before.kvs.length === 0) break;
   const watch = etcd.watch(before.kvs[0].key, { from: before.revision }); //@ watch
   await watch.deleted(); //@ await
   watch.close(); //@ unwatch
 }
-// elected //@ !own-key-not-read
+if ((await etcd.get(key)) === null) throw new Expired(); //@ read-own !own-key-read
 for await (const item of job) { // I lead //@ work
   if (keepsDeadline && performance.now() >= deadline) throw new Expired(); //@ check
   await resource.write(item, rev); //@ write
 }
 await etcd.txn({ if: [createRevision(key).equals(rev)], then: [del(key)] }); //@ resign
 await etcd.revoke(lease); //@ close
 // catch (Expired): give up; nothing is left to delete //@ expired
 async function heartbeat(lease) {
   while (await alive(etcd.keepAliveOnce(lease))) //@ beat
     await sleep(ttl / 3); //@ beat-sleep
 }
`,
  cli: `
 # etcdctl elect $NAME $ME, step by step:
 LEASE=$(etcdctl lease grant $TTL | cut -d' ' -f2) //@ session
 etcdctl lease keep-alive $LEASE &
 etcdctl txn <<< "c(\\"$NAME/$LEASE\\") = \\"0\\" ..." # put $ME, or get //@ campaign
 while true; do
   BEFORE=$(youngest_older_than $REV) # etcdctl get --prefix $NAME/ //@ read-before
   [ -z "$BEFORE" ] && break
   etcdctl watch $BEFORE --rev=$READ_AT > events & //@ watch
   until grep -q DELETE events; do sleep 0.1; done //@ await
   kill %2 # the watch //@ unwatch
 done
-# elected //@ !own-key-not-read
+[ -n "$(etcdctl get $NAME/$LEASE)" ] || expired //@ read-own !own-key-read
 do_next_part # I lead //@ work
 [ -z "$DEADLINE" ] || [ $(monotonic) -lt $DEADLINE ] || expired //@ check
 write_resource "$ITEM" $REV //@ write
 etcdctl txn <<< "c(\\"$NAME/$LEASE\\") = \\"$REV\\" ..." # then del //@ resign
 etcdctl lease revoke $LEASE //@ close
 # expired: give up; nothing is left to delete //@ expired
 # lease keep-alive prints each answer, and ends with the lease //@ beat
 # it sends one each TTL/3 //@ beat-sleep
`,
};

export const ETCD_ELECTION_PUBLISHED: Listings = variantOf(BOTH, "-");
export const ETCD_ELECTION_MENDED: Listings = variantOf(BOTH, "+");

export const ETCD_ELECTION_OBSERVER: Listings = {
  pseudo: `
loop:
  first ← the oldest key of election/… //@ read
  watch it from the revision after; is there none, the whole prefix //@ watch
  wait: a PUT tells its new value, a DELETE that it leads no more //@ await
  end the watch //@ unwatch
`,
  go: `
// election.Observe(ctx), step by step:
for {
	first, err := cli.Get(ctx, name+"/", clientv3.WithFirstCreate()...) //@ read
	events := cli.Watch(wctx, keyOrPrefix(first), //@ watch
		clientv3.WithRev(first.Header.Revision+1))
	show(first, events) // until a DELETE, or the first PUT //@ await
	stopWatching() //@ unwatch
}
`,
  java: `
while (true) {
  var first = kv.get(b(name + "/"), oldestOfPrefix).get(); //@ read
  var watcher = watch.watch(keyOrPrefix(first), after(first), listener); //@ watch
  listener.showUntilDelete(); //@ await
  watcher.close(); //@ unwatch
}
`,
  typescript: `
for (;;) {
  const first = await etcd.range({ prefix: name + "/", sort: "CREATE", limit: 1 }); //@ read
  const watch = etcd.watch(keyOrPrefix(first), { from: first.revision + 1 }); //@ watch
  await showUntilDelete(watch); //@ await
  watch.close(); //@ unwatch
}
`,
  cli: `
# etcdctl elect --listen $NAME, step by step:
while true; do
  FIRST=$(etcdctl get --prefix $NAME/ --sort-by=CREATE --limit=1 -w json) //@ read
  etcdctl watch $(key_or_prefix "$FIRST") --rev=$AFTER > events & //@ watch
  show_until_delete events //@ await
  kill %1 # the watch //@ unwatch
done
`,
};
