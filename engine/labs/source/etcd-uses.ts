/**
 * Services, followers and publishers in five languages. The service is two programs in one text: `-` as published, `+` mended:
 * it registers again when its lease is gone.
 */
import { type Listings, variantOf } from "./listing.ts";

const SERVICE: Listings = {
  pseudo: `
 lease ← grant(ttl) //@ grant
 put(services/… my name, my address, lease) //@ put
 start heartbeat; serve //@ serve
 revoke(lease): I am gone at once //@ leave
 heartbeat:
   sleep for the period //@ beat-sleep
-  renew(lease); again //@ beat !answer-not-read
+  renew(lease): TTL 0? register anew, from the grant //@ beat !registers-again
`,
  go: `
 func register() {
 	lease, err := cli.Grant(ctx, ttl) //@ grant
 	cli.Put(ctx, prefix+me, address, clientv3.WithLease(lease.ID)) //@ put
 	go heartbeat(lease.ID)
 }
 serve() //@ serve
 cli.Revoke(ctx, lease.ID) //@ leave
 for range time.Tick(period) { // heartbeat //@ beat-sleep
-	cli.KeepAliveOnce(ctx, id) //@ beat !answer-not-read
+	if _, err := cli.KeepAliveOnce(ctx, id); err == rpctypes.ErrLeaseNotFound { //@ beat !registers-again
+		register()
+	}
 }
`,
  java: `
 void register() {
   lease = leases.grant(ttl).get().getID(); //@ grant
   kv.put(b(prefix + me), b(address), withLease(lease)).get(); //@ put
   timer.scheduleAtFixedRate(heartbeat, period, period, SECONDS); //@ beat-sleep
 }
 serve(); //@ serve
 leases.revoke(lease).get(); //@ leave
 // heartbeat:
-leases.keepAliveOnce(lease); //@ beat !answer-not-read
+if (leases.keepAliveOnce(lease).get().getTTL() <= 0) register(); //@ beat !registers-again
`,
  typescript: `
 async function register() {
   lease = await etcd.grant(ttl); //@ grant
   await etcd.put(prefix + me, address, { lease }); //@ put
 }
 await serve(); //@ serve
 await etcd.revoke(lease); //@ leave
 // heartbeat:
 await sleep(period); //@ beat-sleep
-await etcd.keepAliveOnce(lease); //@ beat !answer-not-read
+if ((await etcd.keepAliveOnce(lease)).ttl <= 0) await register(); //@ beat !registers-again
`,
  cli: `
 LEASE=$(etcdctl lease grant $TTL | cut -d' ' -f2) //@ grant
 etcdctl put $PREFIX$ME $ADDRESS --lease=$LEASE //@ put
 serve //@ serve
 etcdctl lease revoke $LEASE //@ leave
 # heartbeat:
 sleep $PERIOD //@ beat-sleep
-etcdctl lease keep-alive --once $LEASE //@ beat !answer-not-read
+etcdctl lease keep-alive --once $LEASE | grep -q keepalived || register //@ beat !registers-again
`,
};

export const ETCD_USES_PUBLISHED: Listings = variantOf(SERVICE, "-");
export const ETCD_USES_MENDED: Listings = variantOf(SERVICE, "+");

export const ETCD_USES_FOLLOWER: Listings = {
  pseudo: `
known ← all keys of the prefix, at revision R //@ read
watch the prefix from R + 1 //@ watch
each PUT: known has it; each DELETE: it is lost //@ await !watch-from-read
the watch was compacted? end it, and read again //@ unwatch
`,
  go: `
known, err := cli.Get(ctx, prefix, clientv3.WithPrefix()) //@ read
events := cli.Watch(ctx, prefix, clientv3.WithPrefix(), //@ watch
	clientv3.WithRev(known.Header.Revision+1))
for e := range events { apply(known, e) } //@ await !watch-from-read
// compacted: the channel is closed; from the read again //@ unwatch
`,
  java: `
var known = kv.get(b(prefix), allOfPrefix).get(); //@ read
var watcher = watch.watch(b(prefix), prefixFrom(known), listener); //@ watch
// listener.onNext: each event is applied to known //@ await !watch-from-read
// onError, compacted: close, and read again //@ unwatch
`,
  typescript: `
const known = await etcd.range({ prefix }); //@ read
const watch = etcd.watch({ prefix, from: known.revision + 1 }); //@ watch
for await (const event of watch) apply(known, event); //@ await !watch-from-read
// compacted: it has ended; from the read again //@ unwatch
`,
  cli: `
etcdctl get --prefix $PREFIX -w json # at revision $REV //@ read
etcdctl watch --prefix $PREFIX --rev=$((REV + 1)) | //@ watch
  while read -r EVENT; do apply "$EVENT"; done //@ await !watch-from-read
# compacted: it ends with an error; from the get again //@ unwatch
`,
};

export const ETCD_USES_PUBLISHER: Listings = {
  pseudo: `
put(config, the next version) //@ put
wait for the next one's time //@ pause
`,
  go: `
for version := range versions {
	cli.Put(ctx, prefix+"config", version) //@ put
	time.Sleep(period) //@ pause
}
`,
  java: `
for (var version : versions) {
  kv.put(b(prefix + "config"), b(version)).get(); //@ put
  Thread.sleep(period); //@ pause
}
`,
  typescript: `
for (const version of versions) {
  await etcd.put(prefix + "config", version); //@ put
  await sleep(period); //@ pause
}
`,
  cli: `
for VERSION in $VERSIONS; do
  etcdctl put \${PREFIX}config $VERSION //@ put
  sleep $PERIOD //@ pause
done
`,
};
