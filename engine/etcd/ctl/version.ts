/** The etcdctl that is imitated: what it prints was recorded from this one (Debian's build, with a newer cobra). */
export const VERSION = "3.4.23";
export const API_VERSION = "3.4";
