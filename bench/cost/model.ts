/** Pure: seconds and dollars of a creation, a change, a check for drift and a question, for what is built and for what could be. */
import type { RunWork } from '#contracts/stage.ts';
import {
  checkSeconds,
  fetchPluginsSeconds,
  functionPhaseSeconds,
  imageMegabytes,
  lambdaCheckSeconds,
  nestedSeconds,
  pullMegabytesPerSecond,
  startTimes,
  toolSeconds,
} from './phase-times.ts';
import book from './prices.json' with { type: 'json' };

export type Compute = 'container' | 'lambda';

/** What could be built in one way or another. */
export interface Design {
  readonly checksOn: Compute;
  /** How they ask machines. */
  readonly checksWith: 'ansible' | 'ssh';
  /** Stages without work are passed in the parent. */
  readonly passedInParent: boolean;
  /** `image`: all of them are part of it. `chosen`: those of two clouds. `need`: those that a workspace names are fetched. */
  readonly plugins: 'image' | 'chosen' | 'need';
  /** Checks of credentials: builds, or a function. */
  readonly questionsOn: 'container' | 'function';
  /** One container takes the stages of a waypoint one after the other. */
  readonly oneContainer: boolean;
}

/** The steps in the order of their worth; each is on top of those before it. `now`: up to here it is built. */
const steps: readonly { readonly name: string; readonly change: Partial<Design>; readonly now?: true }[] = [
  { name: 'as of 0.1.0', change: {}, now: true },
  { name: 'checks for drift ask machines without Ansible', change: { checksWith: 'ssh' }, now: true },
  { name: 'checks for drift on Lambda compute', change: { checksOn: 'lambda' }, now: true },
  { name: 'stages without work are passed in the parent', change: { passedInParent: true }, now: true },
  { name: 'plugins of two clouds (providers=hetzner,aws)', change: { plugins: 'chosen' } },
  { name: 'plugins fetched by need', change: { plugins: 'need' } },
  { name: 'checks of credentials by a function', change: { questionsOn: 'function' } },
  { name: 'one container for a waypoint', change: { oneContainer: true } },
];

const first: Design = {
  checksOn: 'container',
  checksWith: 'ansible',
  passedInParent: false,
  plugins: 'image',
  questionsOn: 'container',
  oneContainer: false,
};

export const designs: readonly (Design & { readonly name: string; readonly now: boolean })[] = steps.map(
  ({ name, now = false }, place) => {
    const changes = steps.slice(0, place + 1).map(({ change }) => change);
    return { ...Object.assign({}, first, ...changes), name, now };
  },
);

/** What is built. */
export const now: Design = designs.findLast((design) => design.now) ?? first;

/** Times of one stage with its build. */
export interface Measured {
  /** Until the tool starts. */
  readonly before: number;
  readonly tool: number;
  readonly after: number;
  /** Not billed. */
  readonly queued: number;
}

/** Medians of an installation, in place of what is assumed. */
export type Medians = Partial<Readonly<Record<RunWork, Measured>>>;

const withPlugins: readonly RunWork[] = ['infrastructure', 'drift'];

/** The times of one build; its image has the plugins of all clouds if the design says so. */
export function stageTimes(
  stage: RunWork,
  { plugins, checksOn, checksWith }: Pick<Design, 'plugins' | 'checksOn' | 'checksWith'>,
  medians: Medians = {},
): Measured {
  const compute = stage === 'drift' ? checksOn : 'container';
  const known = medians[stage];
  if (known) return known;
  const { queued, provisioning, agent, runner, finalizing } = startTimes[compute];
  const [carried, fetched] = !withPlugins.includes(stage)
    ? [0, 0]
    : plugins === 'need'
      ? [0, fetchPluginsSeconds]
      : [plugins === 'chosen' ? imageMegabytes.chosenPlugins : imageMegabytes.plugins, 0];
  const ansible = stage === 'drift' && checksWith === 'ansible' ? imageMegabytes.ansible : 0;
  const megabytes = imageMegabytes.base + imageMegabytes.programs[stage] + ansible + carried;
  const pull = compute === 'container' ? megabytes / pullMegabytesPerSecond : 0;
  const before = queued + provisioning + pull + agent + runner + fetched;
  return { queued, before, tool: compute === 'lambda' ? lambdaCheckSeconds : toolSeconds[stage], after: finalizing };
}

/** Dollars of so many seconds. CodeBuild bills whole minutes, its Lambda compute seconds. */
function price(seconds: number, compute: Compute): number {
  const { buildMinute, lambdaBuildMinute } = book.prices;
  return compute === 'container' ? Math.ceil(seconds / 60) * buildMinute : (seconds / 60) * lambdaBuildMinute;
}

const billed = ({ before, tool, after, queued }: Measured): number => before + tool + after - queued;

/** Price of a build as it is now, in a container. */
export function billedMinutes(stage: RunWork): number {
  return Math.ceil(billed(stageTimes(stage, { ...now, checksOn: 'container' })) / 60);
}

export interface ModelOutcome {
  readonly seconds: number;
  /** Price of builds alone. */
  readonly dollars: number;
}

/** A waypoint whose stages with work are these, of five; `tools`: seconds of what has no median. */
export function waypoint(
  design: Design,
  stages: readonly RunWork[],
  { medians = {}, tools = toolSeconds }: { readonly medians?: Medians; readonly tools?: typeof toolSeconds } = {},
): ModelOutcome {
  const times = stages.map((stage) => ({
    ...stageTimes(stage, design, medians),
    ...(medians[stage] === undefined && { tool: tools[stage] }),
  }));
  const passed = design.passedInParent ? 0 : (5 - stages.length) * nestedSeconds;
  const functions = (3 + stages.length) * functionPhaseSeconds + stages.length * nestedSeconds + passed;
  if (!design.oneContainer) {
    const seconds = times.reduce((sum, { before, tool, after }) => sum + before + tool + after, functions);
    return { seconds, dollars: times.reduce((sum, one) => sum + price(billed(one), 'container'), 0) };
  }
  const [start] = times;
  const working = times.reduce((sum, { tool }) => sum + tool, 0);
  const seconds = (start?.before ?? 0) + working + (times.at(-1)?.after ?? 0);
  return { seconds: seconds + functions, dollars: price(seconds - (start?.queued ?? 0), 'container') };
}

export function driftCheck(design: Design, medians: Medians = {}): ModelOutcome {
  const times = stageTimes('drift', design, medians);
  const seconds = times.before + times.tool + times.after + nestedSeconds + 6 * functionPhaseSeconds;
  return { seconds, dollars: price(billed(times), design.checksOn) };
}

/** A check of credentials, which a person waits for. */
export function question(design: Design, medians: Medians = {}): ModelOutcome {
  if (design.questionsOn === 'function') {
    const seconds = functionPhaseSeconds + checkSeconds;
    return { seconds, dollars: seconds * book.prices.lambdaGbSecond };
  }
  const times = { ...stageTimes('infrastructure', design, medians), tool: checkSeconds };
  return { seconds: times.before + times.tool + times.after, dollars: price(billed(times), 'container') };
}
