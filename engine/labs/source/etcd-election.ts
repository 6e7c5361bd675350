/** etcd's election, as its library does it, in five languages: a lock's queue whose keys carry a value. */
import type { Listings } from "./listing.ts";

export const ETCD_ELECTION: Listings = {
  pseudo: `
lease ← grant(ttl); start heartbeat: a session //@ session
key ← name + "/" + lease in hex
if the create revision of key is 0: put(key, me, lease) else get(key) //@ txn
loop:
  before ← the youngest of name/… that is older than mine //@ read-before
  nobody? leave the loop
  watch(before), from the read's revision //@ watch
  wait for its DELETE //@ await
  end the watch //@ unwatch
I lead: do the job //@ work
  before each write: is my own deadline over (if I keep one)? //@ check
  write //@ write
resign: delete(key) //@ unlock
close the session: revoke(lease) //@ close
when the session is done: lead no more //@ expired
heartbeat:
  renew(lease); TTL 0: the session is done //@ beat
  sleep TTL/3; again //@ beat-sleep
`,
  go: `
session, err := concurrency.NewSession(cli, concurrency.WithTTL(ttl)) //@ session
key := fmt.Sprintf("%s/%x", name, session.Lease())
// election.Campaign(ctx, me), step by step:
create := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
r, err := cli.Txn(ctx).If(create). //@ txn
	Then(clientv3.OpPut(key, me, clientv3.WithLease(session.Lease()))).
	Else(clientv3.OpGet(key)).Commit()
for {
	before, err := cli.Get(ctx, name+"/", append(clientv3.WithLastCreate(), //@ read-before
		clientv3.WithMaxCreateRev(rev-1))...)
	if len(before.Kvs) == 0 { break }
	events := cli.Watch(wctx, string(before.Kvs[0].Key), //@ watch
		clientv3.WithRev(before.Header.Revision))
	firstDelete(events) //@ await
	stopWatching() //@ unwatch
}
for _, item := range job { // I lead //@ work
	if keepsDeadline && time.Now().After(deadline) { return expired() } //@ check
	resource.Write(item, rev) //@ write
}
cli.Delete(ctx, key) // election.Resign(ctx) //@ unlock
session.Close() // revokes the lease //@ close
// expired(): lead no more //@ expired
// heartbeat, inside the session:
for range answers { // ends when the lease is gone //@ beat
	// the client sends one each TTL/3 //@ beat-sleep
}
`,
  java: `
long lease = leases.grant(ttl).get().getID(); //@ session
var beating = leases.keepAlive(lease, heartbeat);
String key = name + "/" + Long.toHexString(lease);
var r = kv.txn().If(isNew(key)) //@ txn
    .Then(Op.put(b(key), b(me), withLease(lease)))
    .Else(Op.get(b(key), GetOption.DEFAULT)).commit().get();
for (;;) {
  var before = kv.get(b(name + "/"), youngestBefore(rev)).get(); //@ read-before
  if (before.getKvs().isEmpty()) break;
  var watcher = watch.watch(before.getKvs().get(0).getKey(), from(before), latch); //@ watch
  latch.await(); //@ await
  watcher.close(); //@ unwatch
}
for (var item : job) { // I lead //@ work
  if (keepsDeadline && System.nanoTime() - deadline >= 0) throw new Expired(); //@ check
  resource.write(item, rev); //@ write
}
kv.delete(b(key)).get(); // resign //@ unlock
leases.revoke(lease).get(); //@ close
// catch (Expired): lead no more //@ expired
// heartbeat: an answer with TTL 0 means that it is gone //@ beat
// the next after TTL/3 //@ beat-sleep
`,
  typescript: `
const lease = await etcd.grant(ttl); //@ session
const beating = heartbeat(lease);
const key = name + "/" + lease.toString(16);
const r = await etcd.txn({ //@ txn
  if: [createRevision(key).equals(0)], then: [put(key, me, { lease })], else: [get(key)],
});
for (;;) {
  const before = await etcd.youngestBefore(name + "/", rev); //@ read-before
  if (before === null) break;
  const watch = etcd.watch(before.key, { from: before.revision }); //@ watch
  await firstDelete(watch); //@ await
  watch.close(); //@ unwatch
}
for await (const item of job) { // I lead //@ work
  if (keepsDeadline && performance.now() >= deadline) throw new Expired(); //@ check
  await resource.write(item, rev); //@ write
}
await etcd.delete(key); // resign //@ unlock
await etcd.revoke(lease); //@ close
// catch Expired: lead no more //@ expired
// heartbeat:
while ((await etcd.keepAliveOnce(lease)).ttl > 0) //@ beat
  await sleep(ttl / 3); //@ beat-sleep
`,
  cli: `
# etcdctl elect $NAME $ME, step by step:
LEASE=$(etcdctl lease grant $TTL | cut -d' ' -f2) //@ session
heartbeat &
put_if_new --lease=$LEASE $NAME/$LEASE $ME # etcdctl txn //@ txn
while true; do
  BEFORE=$(youngest_before $NAME/ $REV) # etcdctl get --prefix //@ read-before
  [ -z "$BEFORE" ] && break
  etcdctl watch --rev=$READ_AT $BEFORE | //@ watch
    grep -m 1 '^DELETE' //@ await
  # grep has ended: so does the watch //@ unwatch
done
do_next_part # I lead //@ work
[ -z "$DEADLINE" ] || [ $(monotonic) -lt $DEADLINE ] || expired //@ check
write_resource "$ITEM" "$REV" //@ write
etcdctl del $NAME/$LEASE # resign //@ unlock
etcdctl lease revoke $LEASE //@ close
# expired: lead no more //@ expired
# heartbeat:
while etcdctl lease keep-alive --once $LEASE; do //@ beat
  sleep $((TTL / 3)) //@ beat-sleep
done
`,
};
