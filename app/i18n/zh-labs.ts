/** Chinese of the lock labs. */
export const zhLabs = {
  "tab.locks": "锁",
} as const;
