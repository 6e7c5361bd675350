/** English of the lock labs: programs, the queue, beliefs and truth, the resource, stories. */
export const enLabs = {
  "tab.locks": "Lock",
} as const;
