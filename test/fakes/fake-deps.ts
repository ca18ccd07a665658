/** All ports in memory, for tests of handlers: tests can read and control the fakes of the outside. */

import { recordedTemplateSources } from '#adapters/git-references.ts';
import { HttpReceivers } from '#adapters/http-receivers.ts';
import { type Config, parseConfig } from '#contracts/config.ts';
import type { AskRunnerInput, RollOutInput, StateError } from '#contracts/state-inputs.ts';
import type { BuildGrants, BuildSessions, Builds, KnownBuild } from '#functions/build-ports.ts';
import type { Clock, Deps, Ids, Workflows } from '#functions/ports.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { InMemoryAgentReports } from './in-memory-agent-reports.ts';
import { InMemoryArtifacts, InMemoryRoleBindings, InMemorySecrets, InMemoryTemplates } from './in-memory-artifacts.ts';
import { InMemoryBudgets } from './in-memory-budgets.ts';
import { InMemoryClusters } from './in-memory-clusters.ts';
import { InMemoryDemands } from './in-memory-demands.ts';
import { InMemoryGitSources } from './in-memory-git-sources.ts';
import { InMemoryInventory } from './in-memory-inventory.ts';
import { InMemoryMail } from './in-memory-mail.ts';
import { InMemoryManifests } from './in-memory-manifests.ts';
import { InMemoryNotifications } from './in-memory-notifications.ts';
import { InMemoryRepairBudget } from './in-memory-repair-budget.ts';
import { InMemoryRollOuts } from './in-memory-roll-outs.ts';
import { InMemoryEvents, InMemoryFeed, InMemoryRuns, RecordedBus } from './in-memory-runs.ts';
import { InMemoryWaitingPlans } from './in-memory-waiting-plans.ts';

/** Every read of the clock is one millisecond later, so that records have an order in time. */
class SteppingClock implements Clock {
  #at: number;

  constructor(start = '2026-11-20T12:00:00.000Z') {
    this.#at = Date.parse(start);
  }

  now(): Date {
    this.#at += 1;
    return new Date(this.#at);
  }

  advance(seconds: number): void {
    this.#at += seconds * 1000;
  }
}

/** a000001, a000002 …: as long as asked for. */
class CountingIds implements Ids {
  #count = 0;

  hash(length: number): string {
    this.#count += 1;
    return `a${String(this.#count).padStart(length - 1, '0')}`.slice(-length);
  }
}

/** Remembers what was started and stopped; `statuses` says what `status` answers. */
export class RecordedWorkflows implements Workflows {
  readonly started: { readonly runId: string; readonly input: { namespace: string; name: string } }[] = [];
  readonly stopped: string[] = [];
  readonly statuses = new Map<string, string>();
  /** What executions failed with. */
  readonly faults = new Map<string, StateError>();
  /** Those that `askRunner` starts. */
  readonly builds: RecordedBuilds;

  constructor(builds = new RecordedBuilds()) {
    this.builds = builds;
  }

  async startReconcile(runId: string, input: { namespace: string; name: string }): Promise<string> {
    const arn = executionArn(runId);
    if (!this.statuses.has(arn)) {
      this.started.push({ runId, input });
      this.statuses.set(arn, 'RUNNING');
    }
    return arn;
  }

  /** Those of roll-outs. */
  readonly rollOuts: { readonly name: string; readonly input: RollOutInput }[] = [];

  async startRollOut(name: string, input: RollOutInput): Promise<string> {
    const arn = executionArn(name, 'roll-out');
    if (!this.statuses.has(arn)) {
      this.rollOuts.push({ name, input });
      this.statuses.set(arn, 'RUNNING');
    }
    return arn;
  }

  async askRunner({ job }: AskRunnerInput): Promise<string> {
    return this.builds.start('sim', { KUBELOOM_JOB: job });
  }

  async status(arn: string): Promise<string | undefined> {
    return this.statuses.get(arn);
  }

  async statusOfRun(runId: string): Promise<string | undefined> {
    return this.status(executionArn(runId));
  }

  async fault(arn: string): Promise<StateError | undefined> {
    return this.faults.get(arn);
  }

  async stop(arn: string): Promise<void> {
    this.stopped.push(arn);
    if (this.statuses.get(arn) === 'RUNNING') this.statuses.set(arn, 'ABORTED');
  }
}

export const executionArn = (name: string, machine = 'reconcile-manifest'): string =>
  `arn:aws:states:eu-central-1:000000000000:execution:${machine}:${name}`;

/** Builds by waypoint prefix that are reported as running until they are stopped. */
export class RecordedBuilds implements Builds {
  readonly runningBuilds = new Map<string, string[]>();
  readonly stopped: string[] = [];
  readonly started: { readonly id: string; readonly project: string; readonly variables: Record<string, string> }[] =
    [];
  /** What `status` answers of builds that were started; take one away and nothing is known of it. */
  readonly statuses = new Map<string, 'running' | 'ended'>();

  /** What the state machine of questions does. */
  async start(project: string, variables: Readonly<Record<string, string>>): Promise<string> {
    const same = this.started.find(
      (one) => one.project === project && JSON.stringify(one.variables) === JSON.stringify(variables),
    );
    if (same) return same.id;
    const id = `${project}:${this.started.length + 1}`;
    this.started.push({ id, project, variables });
    this.statuses.set(id, 'running');
    return id;
  }

  async find(buildIds: readonly string[]): Promise<readonly KnownBuild[]> {
    return this.started
      .filter(({ id }) => buildIds.includes(id) && this.statuses.has(id))
      .map(({ id, project, variables }) => ({
        id,
        project,
        variables,
        status: this.statuses.get(id) ?? 'ended',
      }));
  }

  async status(buildId: string): Promise<'running' | 'ended' | undefined> {
    return this.statuses.get(buildId);
  }

  async running(waypointPrefix: string): Promise<readonly string[]> {
    return this.runningBuilds.get(waypointPrefix) ?? [];
  }

  /** How often a build must be stopped before it has ended. */
  endsAfterStops = 1;

  async stop(buildId: string): Promise<void> {
    this.stopped.push(buildId);
    this.endsAfterStops -= 1;
    if (this.endsAfterStops > 0) return;
    if (this.statuses.has(buildId)) this.statuses.set(buildId, 'ended');
    for (const [prefix, builds] of this.runningBuilds) {
      this.runningBuilds.set(
        prefix,
        builds.filter((build) => build !== buildId),
      );
    }
  }
}

/** Remembers the sessions that were opened; the keys of each are its place among them. */
class RecordedSessions implements BuildSessions {
  readonly opened: Parameters<BuildSessions['open']>[0][] = [];

  async open(session: Parameters<BuildSessions['open']>[0]): ReturnType<BuildSessions['open']> {
    const number = this.opened.push(session);
    const expiresAt = new Date(Date.now() + session.seconds * 1000).toISOString();
    return { accessKeyId: `KEY${number}`, secretAccessKey: 'secret', sessionToken: `session ${number}`, expiresAt };
  }
}

class InMemoryBuildGrants implements BuildGrants {
  readonly #taken = new Map<string, string>();

  async take({ build, digest }: Parameters<BuildGrants['take']>[0]): Promise<boolean> {
    if (!this.#taken.has(build)) this.#taken.set(build, digest);
    return this.#taken.get(build) === digest;
  }
}

export interface FakeDeps extends Deps {
  readonly buildSessions: RecordedSessions;
  readonly clock: SteppingClock;
  readonly mail: InMemoryMail;
  readonly workflows: RecordedWorkflows;
  readonly builds: RecordedBuilds;
}

/** Fresh ports; `environment` adds to or changes the configuration. */
export function fakeDeps(environment: Readonly<Record<string, string>> = {}): FakeDeps {
  const builds = new RecordedBuilds();
  return {
    ...inMemoryStores(),
    templateSources: recordedTemplateSources,
    receivers: new HttpReceivers({ privateHosts: environment.KUBELOOM_NOTIFICATION_PRIVATE_HOSTS?.split(',') ?? [] }),
    mail: new InMemoryMail(),
    workflows: new RecordedWorkflows(builds),
    builds,
    buildSessions: new RecordedSessions(),
    clock: new SteppingClock(),
    ids: new CountingIds(),
    config: fakeConfig(environment),
  };
}

/** Fresh stores; the contract suites of test/stores hold them and the adapters to the same promises. */
export function inMemoryStores() {
  const feed = new InMemoryFeed();
  const [manifests, rollOuts] = [new InMemoryManifests(), new InMemoryRollOuts()];
  return {
    manifests,
    clusters: new InMemoryClusters(),
    demands: new InMemoryDemands(),
    agentReports: new InMemoryAgentReports(),
    repairBudget: new InMemoryRepairBudget(),
    runs: new InMemoryRuns(),
    events: new InMemoryEvents(feed),
    feed,
    bus: new RecordedBus(),
    artifacts: new InMemoryArtifacts(),
    secrets: new InMemorySecrets(),
    templateReferences: new InMemoryTemplates(),
    inventory: new InMemoryInventory(),
    rollOuts,
    budgets: new InMemoryBudgets(manifests, rollOuts),
    gitSources: new InMemoryGitSources(),
    notifications: new InMemoryNotifications(),
    waitingPlans: new InMemoryWaitingPlans(),
    roleBindings: new InMemoryRoleBindings(),
    buildGrants: new InMemoryBuildGrants(),
  } satisfies Partial<Deps>;
}

export function fakeConfig(environment: Readonly<Record<string, string>> = {}): Config {
  return parseConfig({
    KUBELOOM_TABLE: 'kubeloom',
    KUBELOOM_BUCKET: 'kubeloom',
    KUBELOOM_PROVIDER_TYPES: 'local,sim,hetzner,gcp,azure,aws',
    KUBELOOM_RUNNER_PROJECTS: JSON.stringify({
      terraform: 'sim',
      ansible: 'sim',
      kubeone: 'sim',
      kubectl: 'sim',
      drift: 'sim',
    }),
    KUBELOOM_RUNNER_RELEASE: JSON.stringify({
      contract: 'as-it-is-now',
      images: Object.fromEntries(runnerTools.map((tool) => [tool, 'local'])),
    }),
    ...environment,
  });
}
