/**
 * ZooKeeper's lock in five languages. Seven programs in one text: `-` is the published one, `+` the mended one and those
 * like it, `*` the one whose waiters all watch the root; `&` is of all but the first. Of those like the mended one, `t`
 * orders by text where `m` is of the others; `r` is the one whose library does not set its watches again; and over a
 * library that gives its session up (`v`) there are `u`, which takes the node that it finds where `f` is of the others, and
 * `o`, which asks whose it is. Calls are those of go-zookeeper, ZooKeeper's own client, Curator's and zkCli.
 */
import { type Listings, variantOf } from "./listing.ts";

const ALL: Listings = {
  pseudo: `
 guid ← random //@ begin
 create("/locks"), and NodeExists is fine //@ root
&beside it: listen to the session; expired? tell main //@ session-listen session-await
&  and (if I keep one) my deadline ← an answered question was sent + timeout //@ session-renewed
r(on a new connection the library does not set its watches again) //@ !no-rewatch
v(no connection for the timeout? the library opens a new session) //@ !new-session
-mine ← create("/locks/<lock>_lock_", ephemeral, sequential) //@ create !no-guid
-queue ← children of "/locks" of this lock, by number //@ children
-is mine the first? leave. Is it not there? expired
-exists(the one before), with a watch. Gone? it is mine //@ look !gone-is-mine
-make the latch that the watch lets go //@ listen !latch-too-late
-wait for the latch, at most 30 s //@ await !timeout-counts-as-success
-put the latch away; it is mine //@ unlisten !any-event-is-mine
&mine ← create("/locks/<guid>-<lock>_lock_", ephemeral, sequential) //@ create !guid
f  no answer? look for the guid among the children; none: create again //@ find !by-guid
u  no answer? take what has the guid among the children; none: create again //@ find !takes-found
o  its owner is not my session? delete it, and create again //@ whose own clear !asks-owner
*listen to events of "/locks" //@ listen
&loop:
m  queue ← children of "/locks" of this lock, by number //@ children
t  queue ← children of "/locks" of this lock, by name //@ children !by-text
*  queue ← children of "/locks" of this lock, by number; watch //@ children !herd
&  is mine the first? leave. Is it not there? expired
+  listen to events of the one before //@ listen !listen-first
+  getData(the one before), with a watch. Gone? look again //@ look
&  wait for an event, at most limit //@ await
&  the limit is over? give up, and delete mine //@ give-up !timeout-read
+  listen no more, and look again //@ unlisten !read-again
 I hold the lock: work //@ work
   before each write: is my own deadline over (if I keep one)? //@ check
   write //@ write
 delete(mine) //@ delete
 close the session //@ close
 when expired: my node is gone; believe no more //@ expired
`,
  go: `
 guid := uuid.NewString() //@ begin
 conn.Create("/locks", nil, 0, acl) // zk.ErrNodeExists is fine //@ root
&go func() { for e := range sessionEvents { heed(e) } }() //@ session-listen session-await
&// and (if I keep one) deadline = an answered question was sent + timeout //@ session-renewed
r// on a new connection the library does not set its watches again //@ !no-rewatch
v// no connection for the timeout? the library opens a new session //@ !new-session
 flags := int32(zk.FlagEphemeral | zk.FlagSequence)
-mine, err := conn.Create("/locks/"+lock+"_lock_", data, flags, acl) //@ create !no-guid
-names, _, err := conn.Children("/locks") //@ children
-if before := predecessor(names, mine); before != "" {
-	found, _, events, err := conn.ExistsW(before) //@ look !gone-is-mine
-	if found {
-		latch := open(events) //@ listen !latch-too-late
-		select { case <-latch: case <-time.After(30 * time.Second): } //@ await !timeout-counts-as-success
-		latch.Close() // returns true in any case //@ unlisten !any-event-is-mine
-	}
-}
&mine, err := conn.Create("/locks/"+guid+"-"+lock+"_lock_", data, flags, acl) //@ create !guid
fif err != nil { mine, err = findOrCreate(conn, guid) } // among the children //@ find !by-guid
uif err != nil { mine, err = takeOrCreate(conn, guid) } // among the children //@ find !takes-found
o_, stat, err := conn.Exists(mine) //@ whose
oif stat.EphemeralOwner != conn.SessionID() { //@ own
o	conn.Delete(mine, -1) // and create again //@ clear !asks-owner
o}
*// each ChildrenW brings its own channel of events //@ listen
&for {
m	names, _, err := conn.Children("/locks") //@ children
t	names, _, err := conn.Children("/locks"); sort.Strings(names) //@ children !by-text
*	names, _, events, err := conn.ChildrenW("/locks") //@ children !herd
&	before := predecessor(names, mine) // mine is not there: expired()
&	if before == "" { break }
+	// the channel is there before the answer //@ listen !listen-first
+	_, _, events, err := conn.GetW(before) //@ look
+	if err == zk.ErrNoNode { continue }
&	select {
&	case <-events: //@ await
&	case <-time.After(limit): return giveUp() // and delete mine //@ give-up !timeout-read
&	}
+	events = nil // look again //@ unlisten !read-again
&}
 for _, item := range job { // the lock is mine //@ work
 	if keepsDeadline && time.Now().After(deadline) { break } //@ check
 	resource.Write(item, numberOf(mine)) //@ write
 }
 conn.Delete(mine, -1) //@ delete
 conn.Close() //@ close
 // expired(): my node is gone; believe no more //@ expired
`,
  java: `
 String guid = UUID.randomUUID().toString(); //@ begin
 create("/locks", PERSISTENT); // NodeExistsException is fine //@ root
&// process(event): Expired? then interrupt main //@ session-listen session-await
&// (if I keep one) deadline = an answered question was sent + timeout //@ session-renewed
r// on a new connection the library does not set its watches again //@ !no-rewatch
v// no connection for the timeout? Curator makes another handle: a new session //@ !new-session
-mine = zk.create("/locks/" + lock + "_lock_", data, acl, EPHEMERAL_SEQUENTIAL); //@ create !no-guid
-var names = zk.getChildren("/locks", false); //@ children
-if (!isFirst(names, mine)) {
-  if (zk.exists(before(names, mine), this) != null) { //@ look !gone-is-mine
-    latch = new CountDownLatch(1); // process(any event): countDown() //@ listen !latch-too-late
-    latch.await(30, SECONDS); // its answer is dropped //@ await !timeout-counts-as-success
-    latch = null; //@ unlisten !any-event-is-mine
-  }
-}
-return true;
&mine = zk.create("/locks/" + guid + "-" + lock + "_lock_", //@ create !guid
&    data, acl, EPHEMERAL_SEQUENTIAL);
f// ConnectionLossException: mine = findOrCreate(guid), among the children //@ find !by-guid
u// ConnectionLossException: mine = takeOrCreate(guid), among the children //@ find !takes-found
ovar stat = zk.exists(mine, false); //@ whose
oif (stat.getEphemeralOwner() != zk.getSessionId()) //@ own
o  zk.delete(mine, -1); // and create again //@ clear !asks-owner
*var changes = new Semaphore(0); // process(event): release() //@ listen
&for (;;) {
m  var names = zk.getChildren("/locks", false); //@ children
t  var names = zk.getChildren("/locks", false); Collections.sort(names); //@ children !by-text
*  var names = zk.getChildren("/locks", watcher); //@ children !herd
&  if (isFirst(names, mine)) break; // not there at all: expired
+  var gone = new CountDownLatch(1); //@ listen !listen-first
+  try { zk.getData(before(names, mine), e -> gone.countDown(), null); } //@ look
+  catch (NoNodeException e) { continue; }
+  boolean woken = gone.await(limit, SECONDS); //@ await
*  boolean woken = changes.tryAcquire(limit, SECONDS); //@ await
&  if (!woken) return giveUp(); // and delete mine //@ give-up !timeout-read
+  // the latch is used up: look again //@ unlisten !read-again
&}
 for (var item : job) { // the lock is mine //@ work
   if (keepsDeadline && System.nanoTime() - deadline >= 0) break; //@ check
   resource.write(item, numberOf(mine)); //@ write
 }
 zk.delete(mine, -1); //@ delete
 zk.close(); //@ close
 // SessionExpiredException: my node is gone; believe no more //@ expired
`,
  typescript: `
 const guid = randomUUID(); //@ begin
 await zk.create("/locks", "PERSISTENT").catch(unlessNodeExists); //@ root
&zk.on("expired", () => main.interrupt()); //@ session-listen session-await
&zk.on("answer", (sent) => { deadline = sent + timeout; }); // if I keep one //@ session-renewed
r// on a new connection the library does not set its watches again //@ !no-rewatch
v// no connection for the timeout? the library opens a new session //@ !new-session
-const mine = await zk.create("/locks/" + lock + "_lock_", "EPHEMERAL_SEQUENTIAL"); //@ create !no-guid
-const names = await zk.getChildren("/locks"); //@ children
-if (!isFirst(names, mine)) {
-  if (await zk.exists(before(names, mine), { watch: true })) { //@ look !gone-is-mine
-    const latch = anyEvent(zk); //@ listen !latch-too-late
-    await Promise.race([latch, sleep(30_000)]); //@ await !timeout-counts-as-success
-    latch.close(); //@ unlisten !any-event-is-mine
-  }
-}
&const mine = await zk.create("/locks/" + guid + "-" + lock + "_lock_", //@ create !guid
&  "EPHEMERAL_SEQUENTIAL");
f// connection lost: mine = await findOrCreate(guid), among the children //@ find !by-guid
u// connection lost: mine = await takeOrCreate(guid), among the children //@ find !takes-found
oconst { ephemeralOwner } = await zk.exists(mine); //@ whose
oif (ephemeralOwner !== zk.sessionId) //@ own
o  await zk.delete(mine); // and create again //@ clear !asks-owner
*const changes = events(zk, "/locks"); //@ listen
&for (;;) {
m  const names = await zk.getChildren("/locks"); //@ children
t  const names = (await zk.getChildren("/locks")).sort(); // as text //@ children !by-text
*  const names = await zk.getChildren("/locks", { watch: true }); //@ children !herd
&  if (isFirst(names, mine)) break; // not there at all: expired
+  const changes = events(zk, before(names, mine)); //@ listen !listen-first
+  const found = await zk.getData(before(names, mine), { watch: true }); //@ look
+  if (found === null) continue;
&  const woken = await within(limit, changes.next()); //@ await
&  if (!woken) return giveUp(); // and delete mine //@ give-up !timeout-read
+  changes.close(); // and look again //@ unlisten !read-again
&}
 for await (const item of job) { // the lock is mine //@ work
   if (keepsDeadline && performance.now() >= deadline) break; //@ check
   await resource.write(item, numberOf(mine)); //@ write
 }
 await zk.delete(mine); //@ delete
 await zk.close(); //@ close
 // session expired: my node is gone; believe no more //@ expired
`,
  cli: `
 # GUID: from uuidgen //@ begin
 create /locks # "Node already exists" is fine //@ root
&# look at the screen for "Session expired" too //@ session-listen session-await
&# deadline (if I keep one): an answered question was sent + timeout //@ session-renewed
r# on a new connection the shell does not set its watches again //@ !no-rewatch
v# no connection for the timeout? quit, and start the shell anew: a new session //@ !new-session
-create -e -s /locks/mylock_lock_ me # prints mine //@ create !no-guid
-ls /locks # mine is the first? work //@ children
-stat -w /locks/mylock_lock_0000000003 # the one before; gone: mine //@ look !gone-is-mine
-# then look at the screen for "WATCHER::" //@ listen !latch-too-late
-# any event, or 30 s //@ await !timeout-counts-as-success
-# look away, and work //@ unlisten !any-event-is-mine
&create -e -s /locks/GUID-mylock_lock_ me # prints mine //@ create !guid
f# "ConnectionLoss": ls /locks # is GUID there? else create again //@ find !by-guid
u# "ConnectionLoss": ls /locks # is GUID there? mine. Else create again //@ find !takes-found
ostat /locks/GUID-mylock_lock_0000000003 # ephemeralOwner //@ whose
o# is that the session of my prompt? //@ own
odelete /locks/GUID-mylock_lock_0000000003 # if not, and create again //@ clear !asks-owner
*# look at the screen for "WATCHER::" //@ listen
&# again:
mls /locks # mine is the first by number? work. Not there? expired //@ children
tls /locks # mine is the first by name? work. Not there? expired //@ children !by-text
*ls -w /locks # mine is the first? work. Not there? expired //@ children !herd
+# look at the screen for "WATCHER::" //@ listen !listen-first
+get -w /locks/…mylock_lock_0000000003 # the one before; gone: again //@ look
+# type:NodeDeleted, at most limit //@ await
*# type:NodeChildrenChanged, at most limit: again //@ await
&# the limit is over: give up, delete mine //@ give-up !timeout-read
+# look again //@ unlisten !read-again
 # the lock is mine: work, in parts //@ work
 # before each write: is my own deadline over (if I keep one)? //@ check
 # write, with the number of mine //@ write
 delete /locks/…mylock_lock_0000000004 # mine //@ delete
 quit //@ close
 # "Session expired": my node is gone; believe no more //@ expired
`,
};

export const ZOOKEEPER_PUBLISHED: Listings = variantOf(ALL, "-");
export const ZOOKEEPER_MENDED: Listings = variantOf(ALL, "+mf&");
export const ZOOKEEPER_HERD: Listings = variantOf(ALL, "*f&");
export const ZOOKEEPER_NO_REWATCH: Listings = variantOf(ALL, "+mf&r");
export const ZOOKEEPER_BY_TEXT: Listings = variantOf(ALL, "+tf&");
export const ZOOKEEPER_TAKES_FOUND: Listings = variantOf(ALL, "+mu&v");
export const ZOOKEEPER_ASKS_OWNER: Listings = variantOf(ALL, "+mf&vo");
