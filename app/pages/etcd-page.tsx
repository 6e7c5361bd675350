/** An etcd cluster: its keyspace, leases and watches, the way of each request, and a console. */
import { Frame } from "./frame.tsx";

export default function EtcdPage() {
  return <Frame />;
}
