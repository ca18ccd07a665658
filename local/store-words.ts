/** What faults of the stores of a platform say to its owner. */
import type { StoreWords } from 'aws-on-loopback/stores/store-fault.ts';

export const storeWords: StoreWords = {
  writer: 'Kubeloom',
  parameter: 'Secret',
  levelDb: 'in the format of Kubeloom 0.1.0',
  restore: 'restore a backup with `kubeloom local restore FILE` into an empty directory',
  acceptLoss: '`kubeloom local up --accept-loss` starts with the data that exists',
};
