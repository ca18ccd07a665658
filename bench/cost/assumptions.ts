/** What a simulated run cannot show: how long tools and functions take in AWS, and how much is stored. */
import type { RunWork } from '#contracts/stage.ts';

export const assumptions = {
  /** CodeBuild bills whole minutes; start and pull of the image included. A full build is some 26 minutes. */
  buildMinutes: {
    infrastructure: 5,
    configuration: 5,
    kubernetes: 11,
    nodes: 2,
    traffic: 3,
    drift: 2,
  } satisfies Record<RunWork, number>,
  /** Of one call of a function with 1 GB. */
  functionSeconds: 0.25,
  functionGb: 1,
  /** Written to CloudWatch: state machines log every event without data. */
  logBytes: { transition: 2_000, call: 1_200, build: 200_000 },
  /** Kept for each cluster: states of Terraform, waypoints, logs; table items. */
  objectBytesOfCluster: 30_000_000,
  tableBytesOfCluster: 300_000,
  /** How often clusters are checked: the default of a manifest, and on average a twentieth later. */
  driftCheck: { everyHours: 6 },
  daysOfMonth: 30,
} as const;
