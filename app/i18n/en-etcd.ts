/** English of the etcd page: keys, leases, watches, requests, storage, the console. */
export const enEtcd = {
  "tab.keys": "Keys",
} as const;
