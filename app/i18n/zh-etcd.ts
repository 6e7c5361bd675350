/** Chinese of the etcd page. */
export const zhEtcd = {
  "tab.keys": "键",
} as const;
