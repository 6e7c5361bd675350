/** The counter under a version, with no lock at all, in five languages. */
import type { Listings } from "./listing.ts";

export const OPTIMISTIC: Listings = {
  pseudo: `
repeat for each round:
  again:
  value, version ← get(counter) //@ read
  work out the next value //@ think
  one transaction, done whole or not at all: //@ compare-and-put !version-guards
    if the mod revision of counter is still version: put(counter, value + 1)
  not done, or no answer? again
`,
  go: `
for done := 0; done < rounds; {
	now, err := cli.Get(ctx, counter) //@ read
	value, version := valueOf(now), modRevision(now) // 0, 0: no key yet
	next := think(value) //@ think
	answer, err := cli.Txn(ctx). //@ compare-and-put !version-guards
		If(clientv3.Compare(clientv3.ModRevision(counter), "=", version)).
		Then(clientv3.OpPut(counter, next)).Commit()
	if err == nil && answer.Succeeded {
		done++
	} // else somebody was faster: read again
}
`,
  java: `
for (int done = 0; done < rounds; ) {
  var now = kv.get(b(counter)).get(); //@ read
  long version = modRevision(now); // 0: no key yet
  var next = think(value(now)); //@ think
  var answer = kv.txn() //@ compare-and-put !version-guards
      .If(new Cmp(b(counter), Cmp.Op.EQUAL, CmpTarget.modRevision(version)))
      .Then(Op.put(b(counter), b(next), PutOption.DEFAULT))
      .commit().get();
  if (answer.isSucceeded()) done++; // else somebody was faster: read again
}
`,
  typescript: `
for (let done = 0; done < rounds; ) {
  const { value, version } = await etcd.get(counter); //@ read
  const next = await think(value); //@ think
  const { succeeded } = await etcd.txn({ //@ compare-and-put !version-guards
    if: [modRevision(counter).equals(version)],
    then: [put(counter, next)],
  });
  if (succeeded) done += 1; // else somebody was faster: read again
}
`,
  cli: `
while [ $DONE -lt $ROUNDS ]; do
etcdctl get $COUNTER -w json # value, mod_revision //@ read
NEXT=$(think $VALUE) //@ think
etcdctl txn <<EOF | grep -q ^SUCCESS && DONE=$((DONE + 1)) //@ compare-and-put !version-guards
mod("$COUNTER") = "$VERSION"

put $COUNTER $NEXT


EOF
done # not done: somebody was faster, read again
`,
};
