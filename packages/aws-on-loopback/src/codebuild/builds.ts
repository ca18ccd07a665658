/** The builds of this platform: a queue with a limit, a limited number at once, each killed when its time is up. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { type Logger, messageOf } from '../logger.ts';
import { buildArn, localImage, region } from '../names.ts';
import { AwsFault } from '../server/aws-json.ts';
import { type BuildEnd, type BuildRun, type ProjectRun, runBuild } from './build-run.ts';
import type { StartBuildInput } from './build-shapes.ts';
import type { Build, BuildStore } from './build-store.ts';
import { endGroup, groupsOf } from './process-group.ts';

export interface Project {
  readonly name: string;
  readonly run: ProjectRun;
  /** Further images than its own, by name, which a build may be started on. */
  readonly images?: Readonly<Record<string, ProjectRun>>;
  /** In addition to the environment of every build. */
  readonly environment: Readonly<Record<string, string>>;
  /** @default 60 */
  readonly timeoutMinutes?: number;
  /** Longest time in the queue. @default 480, as in CodeBuild */
  readonly queuedTimeoutMinutes?: number;
}

export interface LocalBuilds {
  /** Throws `ResourceNotFoundException` without the project, `AccountLimitExceededException` with a full queue; the same token within five minutes is the same build. */
  start(input: StartBuildInput): Build;
  get(id: string): Build | undefined;
  /** Ids of a project's builds, newest first, at most 100. */
  newest(project: string): readonly string[];
  /** Kills it, as CodeBuild does; returns at once, `ended` resolves when it is over. Nothing happens to a build that has ended. */
  stop(id: string): Build | undefined;
  /** Throws `ResourceNotFoundException`. */
  ended(id: string): Promise<Build>;
  /** Ends the processes of builds that an earlier platform left behind, and marks those builds STOPPED. */
  recover(): Promise<void>;
  /** Interrupts all, so that tools can store their state, and waits for them: a platform that ends is not what AWS does. */
  shutDown(): Promise<void>;
}

export interface BuildsOptions {
  readonly projects: readonly Project[];
  readonly store: BuildStore;
  readonly logDirectory: string;
  /** Variables with the identity of a build. @default none: it has what is in the environment of its project */
  readonly identityOf?: (build: Build) => Readonly<Record<string, string>>;
  /** @default 8 */
  readonly concurrency?: number;
  /** Builds that wait; further ones are refused. @default five times `concurrency`, as in CodeBuild */
  readonly queueLimit?: number;
  /** Between SIGINT and SIGTERM of a platform that ends. @default 10 s */
  readonly graceMs?: number;
  readonly logger: Logger;
}

interface Live {
  build: Build;
  readonly project: Project;
  queued: boolean;
  run: BuildRun | undefined;
  /** Why it is being ended. */
  ending: 'STOPPED' | 'TIMED_OUT' | undefined;
  readonly end: PromiseWithResolvers<Build>;
}

const tokenValidMs = 5 * 60 * 1000;
const variableOf = (id: string): string => `CODEBUILD_BUILD_ID=${id}`;

export function startBuilds(options: BuildsOptions): LocalBuilds {
  return new BuildQueue(options);
}

class BuildQueue implements LocalBuilds {
  readonly #options: BuildsOptions & {
    readonly concurrency: number;
    readonly queueLimit: number;
    readonly graceMs: number;
  };
  readonly #live = new Map<string, Live>();
  readonly #turn: LimitFunction;
  readonly #tokens = new Map<string, { build: string; request: string }>();
  #closing = false;

  constructor(options: BuildsOptions) {
    const { concurrency = 8, graceMs = 10_000 } = options;
    const { queueLimit = 5 * concurrency } = options;
    this.#options = { ...options, concurrency, queueLimit, graceMs };
    this.#turn = pLimit(concurrency);
  }

  start(input: StartBuildInput): Build {
    const { projects, store } = this.#options;
    const project = projects.find(({ name }) => name === input.projectName);
    if (!project) throw new AwsFault('ResourceNotFoundException', `there is no project ${input.projectName}`);
    const request = JSON.stringify(input);
    const known = this.#started(input, request);
    if (known) return known;
    this.#checkQueue();
    const build = this.#newBuild(project, input);
    store.put(build);
    if (input.idempotencyToken) this.#remember(input.idempotencyToken, { build: build.id, request });
    const entry: Live = {
      build,
      project,
      queued: true,
      run: undefined,
      ending: undefined,
      end: Promise.withResolvers(),
    };
    this.#live.set(build.id, entry);
    this.#wait(entry, input.queuedTimeoutInMinutesOverride ?? project.queuedTimeoutMinutes ?? 480);
    return build;
  }

  get(id: string): Build | undefined {
    return this.#live.get(id)?.build ?? this.#options.store.get(id);
  }

  newest(project: string): readonly string[] {
    return this.#options.store.newest(project);
  }

  stop(id: string): Build | undefined {
    const entry = this.#live.get(id);
    if (!entry) return this.#options.store.get(id);
    entry.ending ??= 'STOPPED';
    if (entry.queued) this.#finish(entry, { ok: false, fault: false, reason: 'stopped while it was queued' });
    else this.#end(entry);
    return entry.build;
  }

  async ended(id: string): Promise<Build> {
    const build = this.#live.get(id)?.end.promise ?? this.#options.store.get(id);
    if (!build) throw new AwsFault('ResourceNotFoundException', `there is no build ${id}`);
    return build;
  }

  async recover(): Promise<void> {
    const { store, graceMs, logger } = this.#options;
    await Promise.all(
      store.unfinished().map(async (build) => {
        const variable = variableOf(build.id);
        // The platform may have ended before it wrote down which process it had started.
        const leaders = build.process ? [build.process] : groupsOf(variable);
        await Promise.all(leaders.map((leader) => endGroup(leader, variable, graceMs)));
        const reason = 'the platform stopped while the build was running';
        store.put({ ...build, status: 'STOPPED', endedAt: Date.now(), process: null, reason });
        logger.warn('a build of an earlier platform was ended', { build: build.id });
      }),
    );
  }

  async shutDown(): Promise<void> {
    this.#closing = true;
    const ends = [...this.#live.values()].map((entry) => entry.end.promise);
    for (const id of [...this.#live.keys()]) this.stop(id);
    await Promise.all(ends);
  }

  /** The build that was started with the same token. */
  #started({ idempotencyToken }: StartBuildInput, request: string): Build | undefined {
    const token = idempotencyToken && this.#tokens.get(idempotencyToken);
    if (!token) return undefined;
    const known = this.get(token.build);
    if (token.request !== request || !known)
      throw new AwsFault('InvalidInputException', 'the idempotency token was used with other parameters');
    return known;
  }

  #remember(token: string, used: { build: string; request: string }): void {
    this.#tokens.set(token, used);
    setTimeout(() => this.#tokens.delete(token), tokenValidMs).unref();
  }

  #checkQueue(): void {
    const { queueLimit, concurrency } = this.#options;
    const queued = [...this.#live.values()].filter((entry) => entry.queued).length;
    if (queued < queueLimit + concurrency - this.#turn.activeCount) return;
    throw new AwsFault(
      'AccountLimitExceededException',
      `Cannot have more than ${queueLimit} builds in queue for the account`,
    );
  }

  #newBuild(project: Project, input: StartBuildInput): Build {
    const { store, logDirectory } = this.#options;
    const id = `${project.name}:${randomUUID()}`;
    return {
      id,
      project: project.name,
      number: store.nextNumber(project.name),
      status: 'IN_PROGRESS',
      environment: Object.fromEntries(input.environmentVariablesOverride.map(({ name, value }) => [name, value])),
      image: input.imageOverride ?? localImage,
      timeoutMinutes: input.timeoutInMinutesOverride ?? project.timeoutMinutes ?? 60,
      logFile: join(logDirectory, `${id.replace(':', '-')}.log`),
      queuedAt: Date.now(),
      startedAt: null,
      endedAt: null,
      process: null,
      reason: null,
    };
  }

  #wait(entry: Live, longestMinutes: number): void {
    const late = setTimeout(() => {
      entry.ending = 'TIMED_OUT';
      this.#finish(entry, { ok: false, fault: false, reason: `waited for ${longestMinutes} minutes in the queue` });
    }, longestMinutes * 60_000);
    entry.end.promise.finally(() => clearTimeout(late));
    void this.#turn(async () => {
      // It may have been stopped meanwhile.
      if (this.#live.get(entry.build.id) !== entry) return;
      entry.queued = false;
      clearTimeout(late);
      await this.#work(entry).catch((error: unknown) => {
        this.#options.logger.error('a build could not be started', {
          build: entry.build.id,
          cause: messageOf(error),
        });
        this.#finish(entry, { ok: false, fault: true, reason: messageOf(error) });
      });
    });
  }

  async #work(entry: Live): Promise<void> {
    const { project, build } = entry;
    const { logDirectory, identityOf, graceMs, store } = this.#options;
    const environment = {
      ...project.environment,
      ...build.environment,
      ...identityOf?.(build),
      CODEBUILD_BUILD_ID: build.id,
      CODEBUILD_BUILD_ARN: buildArn(build.id),
      AWS_REGION: region,
    };
    await mkdir(logDirectory, { recursive: true, mode: 0o700 });
    const run = build.image === localImage ? project.run : project.images?.[build.image];
    if (!run) throw new Error(`BUILD_CONTAINER_UNABLE_TO_PULL_IMAGE: Unable to pull image ${build.image}`);
    entry.run = await runBuild(run, { environment, logFile: build.logFile, graceMs });
    entry.build = { ...build, startedAt: Date.now(), process: entry.run.process ?? null };
    store.put(entry.build);
    // It may have been stopped while it was being started.
    if (entry.ending) this.#end(entry);
    const timer = setTimeout(() => {
      entry.ending ??= 'TIMED_OUT';
      this.#end(entry);
    }, build.timeoutMinutes * 60_000);
    const ended = await entry.run.ended;
    clearTimeout(timer);
    this.#finish(entry, ended);
  }

  #end({ run }: Live): void {
    if (this.#closing) run?.interrupt();
    else run?.kill();
  }

  #finish(entry: Live, end: BuildEnd): void {
    const status = entry.ending ?? (end.fault ? 'FAULT' : end.ok ? 'SUCCEEDED' : 'FAILED');
    entry.build = { ...entry.build, status, endedAt: Date.now(), process: null, reason: end.reason };
    this.#options.store.put(entry.build);
    this.#live.delete(entry.build.id);
    entry.end.resolve(entry.build);
  }
}
