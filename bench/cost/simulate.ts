/** The life of one cluster on the simulated platform: creation, a change, a check, an idle tick; each with its counts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { deliverChanges, type EventSource } from 'aws-on-loopback/event-bus/event-source.ts';
import { contextOf, type LambdaFunction } from 'aws-on-loopback/lambda/lambda-host.ts';
import { cliClient } from '#cli/connection/api-client.ts';
import { jobOf, workOf } from '#contracts/job.ts';
import type { RunWork } from '#contracts/stage.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { kubeloom, type Product, withFunctionsAround } from '#local/product.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { benchManifest, untilDone } from '../manifests.ts';
import { type Counts, countRequests, none } from './count-calls.ts';
import { billedMinutes } from './model.ts';

export interface Life {
  readonly creation: Counts;
  readonly change: Counts;
  /** One check for drift that finds nothing, as the scheduler starts it. */
  readonly check: Counts;
  /** One tick that finds nothing due. */
  readonly tick: Counts;
  /** The same of the other schedule, which finds no GitSource due. */
  readonly sourceTick: Counts;
  /** The first such tick of a day. */
  readonly dailyTick: Counts;
  /** A tick that finds no notification to send. */
  readonly sendTick: Counts;
}

/** Requests of a person who waits for a run. */
const polls = 20;

export async function simulateLife(): Promise<Life> {
  const counted = new CountedPlatform();
  const platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0, product: counted.product });
  counted.connect(platform);
  const phase = (work: () => Promise<unknown>): Promise<Counts> => counted.phase(platform, work);
  try {
    const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
    const apply = (nodes: number) => async () => {
      const manifest = benchManifest('shop', 'sim') as ReturnType<typeof benchManifest> & Spec;
      for (const pool of manifest.spec.nodePools.dynamic) if (pool.name === 'compute-2') pool.count = nodes;
      await api.putManifest({ namespace: 'default', name: 'shop' }, manifest);
      // Polling each second for half an hour would count more requests than people make.
      await untilDone(api, 'shop', 200);
      counted.counts.apiRequests += polls;
      counted.counts.calls += polls;
    };
    const creation = await phase(apply(1));
    const change = await phase(apply(2));
    const check = await phase(async () => {
      await api.driftManifest({ namespace: 'default', name: 'shop' });
      await untilDone(api, 'shop', 200);
    });
    const tick = await phase(() => platform.tick());
    // The first one of a day also finds what waits for a person.
    const dailyTick = await phase(() => platform.quickTick());
    const sourceTick = await phase(() => platform.quickTick());
    const sendTick = await phase(() => platform.notifierTick());
    return { creation, change, check, tick, dailyTick, sourceTick, sendTick };
  } finally {
    counted.stop();
    await platform.stop();
  }
}

/** The product with a count of all that AWS would bill. */
class CountedPlatform {
  counts = none();
  readonly product: Product;
  // Lambda gives a function the events of one second: here what is written between two calls, which does not depend on how fast this machine is.
  #source: EventSource | undefined;
  #publish: LambdaFunction | undefined;
  #delivered: Promise<number | undefined> = Promise.resolve(undefined);
  #requests: { stop(): void } | undefined;

  constructor() {
    const { stream, ...product } = withFunctionsAround(kubeloom('sim'), (name, work) => {
      if (name === stream) {
        this.#publish = this.#counted(work);
        return work;
      }
      return async (event, context) => {
        await this.#deliver();
        const answer = await this.#counted(work)(event, context);
        await this.#deliver();
        return answer;
      };
    });
    // Each build asks once for its credentials, by the API; a check or a short stage ends before they are renewed.
    const credentialsOfBuilds: Product['credentialsOfBuilds'] = async () => {
      const answer = await product.credentialsOfBuilds?.();
      return async (event) => {
        this.counts.calls += 1;
        this.counts.apiRequests += 1;
        return answer?.(event);
      };
    };
    this.product = { ...product, credentialsOfBuilds };
  }

  connect(platform: Platform): void {
    this.#source = {
      databaseUrl: platform.endpoints.dynamodb,
      accessKey: accessKeyOf(platform.token),
      invoke: async (batch) => this.#publish?.(batch, contextOf('publish-events', 60_000)),
      waitMs: 0,
    };
    this.#requests = countRequests(platform.endpoints.s3, () => this.counts);
  }

  async phase(platform: Platform, work: () => Promise<unknown>): Promise<Counts> {
    this.counts = none();
    const [transitions, builds] = [transitionsOf(platform), buildsOf(platform)];
    await work();
    // The manifest is done before the end of its executions is recorded.
    while (platform.executionStore.list({ status: 'RUNNING' }).length > 0) await sleep(20);
    await this.#deliver();
    const made = buildsOf(platform).slice(builds.length);
    const minutes = made.map((stage) => billedMinutes(stage));
    return {
      ...this.counts,
      transitions: transitionsOf(platform) - transitions,
      builds: made.length,
      buildMinutes: minutes.reduce((sum, one) => sum + one, 0),
    };
  }

  stop(): void {
    this.#requests?.stop();
  }

  #counted(work: LambdaFunction): LambdaFunction {
    return (event, context) => {
      this.counts.calls += 1;
      return work(event, context);
    };
  }

  #deliver(): Promise<unknown> {
    const events = this.#source;
    // The first tick comes while the platform starts: nothing has happened yet.
    if (events) this.#delivered = this.#delivered.then((taken) => deliverChanges(events, taken));
    return this.#delivered;
  }
}

interface Spec {
  readonly spec: { readonly nodePools: { readonly dynamic: { name: string; count: number }[] } };
}

function transitionsOf(platform: Platform): number {
  return platform.executionStore.list({}).reduce((sum, { transitions }) => sum + transitions, 0);
}

/** Stages of all builds, oldest first. */
function buildsOf(platform: Platform): readonly RunWork[] {
  return [...platform.builds.newest('sim')].reverse().flatMap((id) => {
    const job = jobOf(platform.builds.get(id)?.environment ?? {});
    return workOf(job) ?? [];
  });
}
