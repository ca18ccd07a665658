/** A whole platform in this process with the sim runner, and what a user does with it through the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CliClient, cliClient, type ManifestName } from '#cli/connection/api-client.ts';
import { ApiProblem } from '#cli/connection/api-problem.ts';
import type { ManifestAccepted, ManifestDescription } from '#contracts/api-bodies.ts';
import type { RunEvent } from '#contracts/records.ts';
import { wire } from '#functions/wire.ts';
import type { Platform } from '#local/platform.ts';
import { forgetFaults, type InjectedFault } from '#runner/sim/injected-faults.ts';
import { startSimulatedPlatform } from './simulated-platform.ts';

const pollMs = 10;
const patienceMs = 110_000;

/** Nothing gets better by waiting in a world that is made up. */
const settings = {
  KUBELOOM_LOG: 'none',
  KUBELOOM_STAGE_RETRY_SECONDS: '0',
  KUBELOOM_BACK_OFF_SECONDS: '0',
};

export type Fault = Pick<InjectedFault, 'stage'> & Partial<InjectedFault>;
export type Settled = ManifestDescription | undefined;

export class SimulatedWorld {
  readonly api: CliClient;
  readonly platform: Platform;
  /** `<namespace>/<name>` of the made-up Secrets that are stored. */
  readonly secrets = new Set<string>();

  private constructor(platform: Platform) {
    this.platform = platform;
    this.api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
  }

  static async start(): Promise<SimulatedWorld> {
    Object.assign(process.env, settings);
    // A world before may have set it.
    delete process.env.KUBELOOM_SIM_STAGE_MS;
    return new SimulatedWorld(await startSimulatedPlatform());
  }

  stop(): Promise<void> {
    return this.platform.stop();
  }

  /** Replaces all faults by these; their counts start again. */
  faults(...faults: readonly Fault[]): void {
    forgetFaults();
    process.env.KUBELOOM_SIM_FAULTS = JSON.stringify(faults);
  }

  /** How long every stage takes from now on. */
  stageMs(ms: number): void {
    process.env.KUBELOOM_SIM_STAGE_MS = String(ms);
  }

  /** Submits a manifest and waits for the end of its run. */
  async apply(document: unknown): Promise<ManifestDescription> {
    const key = keyOf(document);
    const settled = await this.settled(key, await this.api.putManifest(key, document));
    if (settled === undefined) throw new Error(`${key.name} is gone`);
    return settled;
  }

  async retry(key: ManifestName): Promise<ManifestDescription> {
    const settled = await this.settled(key, await this.api.retryManifest(key));
    if (settled === undefined) throw new Error(`${key.name} is gone`);
    return settled;
  }

  /** Deletes it and waits; undefined once it is gone. */
  async delete(key: ManifestName): Promise<Settled> {
    return this.settled(key, await this.api.deleteManifest(key));
  }

  /** Waits until the run of an answer, or a newer one, has ended. */
  async settled(key: ManifestName, { runId }: Pick<ManifestAccepted, 'runId'>): Promise<Settled> {
    const ended = (manifest: Settled): boolean =>
      manifest === undefined ||
      ((manifest.status === 'Done' || manifest.status === 'Failed') &&
        !(manifest.runId === runId && ['Queued', 'Running'].includes(manifest.lastRun?.status ?? 'Queued')));
    // Each answer of the API costs as much as a stage here: nothing is asked before all is quiet.
    await this.platform.executions.idle();
    return this.until(key, ended, `the end of ${runId}`);
  }

  /** Waits until `reached` holds. Throws when that does not come. */
  async until(key: ManifestName, reached: (manifest: Settled) => boolean, what: string): Promise<Settled> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const manifest = await this.find(key);
      if (reached(manifest)) return manifest;
      if (Date.now() > deadline) throw new Error(`${key.name}: ${what} did not come: ${JSON.stringify(manifest)}`);
      await sleep(pollMs);
    }
  }

  async find(key: ManifestName): Promise<Settled> {
    return this.api.getManifest(key).catch((error: unknown) => {
      if (error instanceof ApiProblem && error.problem.status === 404) return undefined;
      throw error;
    });
  }

  /** Keys of the artifacts below a prefix. */
  async objects(prefix: string): Promise<readonly string[]> {
    return (await wire().artifacts.list(prefix)).map(({ key }) => key);
  }

  /** All events so far, oldest first. */
  async events(key: ManifestName): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    let next: string | undefined;
    for (;;) {
      const page = await this.api.listEvents(key, { next });
      if (page.items.length === 0) return events;
      events.push(...page.items);
      next = page.next;
      if (next === undefined) return events;
    }
  }
}

export function keyOf(document: unknown): ManifestName {
  const { metadata } = document as { readonly metadata: { readonly name: string; readonly namespace?: string } };
  return { namespace: metadata.namespace ?? 'default', name: metadata.name };
}

/** `cluster: status` of each, and the cause where there is one: for a message when a test fails. */
export function statusText({ status, clusters }: ManifestDescription): string {
  const parts = clusters.map(({ name, status: each, failure }) => `${name}: ${each} ${failure?.message ?? ''}`.trim());
  return [status, ...parts].join('; ');
}
