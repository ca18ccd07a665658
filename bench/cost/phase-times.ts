/**
 * How long the phases of a build take, in seconds, each with where it is from. An installation measures its own: events of stages have
 * `phases`, and `node bench/cost/phases.ts FILE` computes with their medians.
 */
import type { RunWork } from '#contracts/stage.ts';

/** Around the tool. `documented`: sample output of AWS for general1.small, February 2025; all others are assumed, as nothing was deployed. */
export const startTimes = {
  container: {
    // documented
    queued: 1,
    provisioning: 4,
    // CodeBuild's agent, and our program until it starts the tool.
    agent: 3,
    runner: 1,
    // Logs, and the event that Step Functions waits for.
    finalizing: 4,
  },
  // AWS names no number; an image is loaded as it is read.
  lambda: { queued: 0, provisioning: 4, agent: 2, runner: 1, finalizing: 2 },
} as const;

/** For a container: gzip is unpacked by one thread. */
export const pullMegabytesPerSecond = 80;

/** Unpacked sizes of images in MB: the base image, programs from their releases; of plugins, that of aws was measured (905, docs/conformance.md). */
export const imageMegabytes = {
  base: 330,
  plugins: 2000,
  // Plugins of hetzner and aws (option `providers`).
  chosenPlugins: 930,
  programs: {
    infrastructure: 95,
    configuration: 180,
    kubernetes: 270,
    nodes: 60,
    traffic: 180,
    drift: 160,
  } satisfies Record<RunWork, number>,
  /** Checks with the command line of AWS, Python included. */
  ansible: 180,
} as const;

/** An execution of run-stage from its start to the moment in which its parent continues, and a function between two stages. */
export const nestedSeconds = 1;
export const functionPhaseSeconds = 0.5;

/** One plugin of 8 MB and one of 150 MB, fetched from the bucket and unpacked: assumed. */
export const fetchPluginsSeconds = 4;

/** Tools in clouds: assumed. Recorded on local hosts (docs/getting-started.md, demo with the real KubeOne): 3.1, 4.5, 93 and 0.4 s. */
export const toolSeconds: Readonly<Record<RunWork, number>> = {
  infrastructure: 210,
  configuration: 240,
  kubernetes: 600,
  nodes: 60,
  traffic: 120,
  drift: 40,
};

/** One more node, assumed: one machine, its neighbours get a new peer, one join. On local hosts with the real KubeOne a node more took 0.7 times as long as a creation. */
export const changeToolSeconds: typeof toolSeconds = {
  ...toolSeconds,
  infrastructure: 120,
  configuration: 120,
  kubernetes: 420,
  nodes: 45,
};

/** A check on Lambda compute, assumed: two Terraforms at once in place of six, and 1.2 processors in place of two. */
export const lambdaCheckSeconds = 50;

/** A check of credentials: some requests to one cloud. */
export const checkSeconds = 2;
