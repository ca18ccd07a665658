/** What a simulated run cannot show: how long tools and functions take in AWS, and how much is stored. */

export const assumptions = {
  /** Price of one call of a function with 1 GB. */
  functionSeconds: 0.25,
  functionGb: 1,
  /** Written to CloudWatch: state machines log every event without data. */
  logBytes: { transition: 2_000, call: 1_200, buildMinute: 9_000 },
  /** A log is written again at most every 2 seconds while there are new lines; each is a version that is kept for a day. */
  logPutsOfBuildMinute: 15,
  /** Keys of objects come from one call for many of them; Secrets, and the table now and then. */
  keyRequestsOfBuild: 20,
  /** Images of one release, as the registry keeps them, and how many releases are kept: the deploy guide removes older ones. */
  registry: { gbOfRelease: 1.2, releases: 2 },
  /** Kept for each cluster: states of Terraform, waypoints, logs; table items. */
  objectBytesOfCluster: 30_000_000,
  tableBytesOfCluster: 300_000,
  /** How often clusters are checked: the default of a manifest, and on average a twentieth later. */
  driftCheck: { everyHours: 6 },
  daysOfMonth: 30,
  /** The console, where it is deployed: its files, of a few releases; what one of its requests reads, and what comes back with headers. */
  console: { fileBytes: 4_000_000, readsOfRequest: 6, bytesOfAnswer: 2_000 },
  /** A request of the agent of a cluster: records of its manifest and its cluster, its demand and its last report. */
  agent: { readsOfRequest: 8, functionSeconds: 0.05 },
  /** Seconds in which one person has a page open. */
  workingDaySeconds: 8 * 3600,
} as const;
