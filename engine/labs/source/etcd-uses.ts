/** A service that registers itself, and whoever keeps a list of what is under a prefix, in five languages. */
import type { Listings } from "./listing.ts";

export const ETCD_REGISTER: Listings = {
  pseudo: `
loop:
  lease ← grant(ttl) //@ grant
  put(service + "/" + me, address, lease) //@ put
  loop:
    sleep for the period //@ sleep
    renew(lease); TTL 0: it is gone, register again //@ renew
`,
  go: `
for {
	lease, err := cli.Grant(ctx, ttl) //@ grant
	cli.Put(ctx, service+"/"+me, address, clientv3.WithLease(lease.ID)) //@ put
	for {
		time.Sleep(period) //@ sleep
		if gone(cli.KeepAliveOnce(ctx, lease.ID)) { break } // register again //@ renew
	}
}
`,
  java: `
for (;;) {
  long lease = leases.grant(ttl).get().getID(); //@ grant
  kv.put(b(service + "/" + me), b(address), withLease(lease)).get(); //@ put
  do Thread.sleep(period); //@ sleep
  while (leases.keepAliveOnce(lease).get().getTTL() > 0); // else: register again //@ renew
}
`,
  typescript: `
for (;;) {
  const lease = await etcd.grant(ttl); //@ grant
  await etcd.put(service + "/" + me, address, { lease }); //@ put
  do await sleep(period); //@ sleep
  while ((await etcd.keepAliveOnce(lease)).ttl > 0); // else: register again //@ renew
}
`,
  cli: `
while true; do
  LEASE=$(etcdctl lease grant $TTL | cut -d' ' -f2) //@ grant
  etcdctl put --lease=$LEASE $SERVICE/$ME $ADDRESS //@ put
  while sleep $PERIOD; do //@ sleep
    etcdctl lease keep-alive --once $LEASE || break # register again //@ renew
  done
done
`,
};

export const ETCD_OBSERVE: Listings = {
  pseudo: `
list, now ← range(prefix/…) //@ read
watch(prefix/…), from now + 1 //@ watch
for each event: PUT sets, DELETE takes away; compacted: read again //@ await
`,
  go: `
list, err := cli.Get(ctx, prefix+"/", clientv3.WithPrefix()) //@ read
events := cli.Watch(ctx, prefix+"/", clientv3.WithPrefix(), //@ watch
	clientv3.WithRev(list.Header.Revision+1))
for event := range events { apply(known, event) } // compacted: read again //@ await
`,
  java: `
var list = kv.get(b(prefix + "/"), GetOption.builder().isPrefix(true).build()).get(); //@ read
var from = WatchOption.builder().isPrefix(true).withRevision(after(list)).build();
watch.watch(b(prefix + "/"), from, //@ watch
    response -> response.getEvents().forEach(known::apply)); // compacted: read again //@ await
`,
  typescript: `
const list = await etcd.range({ prefix: prefix + "/" }); //@ read
const watch = etcd.watch({ prefix: prefix + "/", from: list.revision + 1 }); //@ watch
for await (const event of watch) apply(known, event); // compacted: read again //@ await
`,
  cli: `
etcdctl get --prefix $PREFIX/ -w json //@ read
etcdctl watch --prefix --rev=$((REV + 1)) $PREFIX/ | //@ watch
  while read EVENT; do apply "$EVENT"; done # compacted: read again //@ await
`,
};
