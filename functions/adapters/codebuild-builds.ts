/** `Builds` on CodeBuild. */
import {
  BatchGetBuildsCommand,
  type Build,
  CodeBuildClient,
  type CodeBuildClientConfig,
  InvalidInputException,
  ListBuildsForProjectCommand,
  ResourceNotFoundException,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import type { Builds, KnownBuild } from '../build-ports.ts';

/** In the queue and at work: the longest that the options of an installation allow. */
const longestBuildHours = 3.5;

export class CodeBuildBuilds implements Builds {
  readonly #client: CodeBuildClient;
  readonly #projects: readonly string[];

  constructor(client: CodeBuildClient, projects: readonly string[]) {
    this.#client = client;
    this.#projects = [...new Set(projects)];
  }

  /** With a client of its own: a bundle has as much of the SDK as this file names. */
  static of(options: CodeBuildClientConfig, projects: readonly string[]): CodeBuildBuilds {
    return new CodeBuildBuilds(new CodeBuildClient(options), projects);
  }

  async status(buildId: string): Promise<'running' | 'ended' | undefined> {
    const { builds = [] } = await this.#client.send(new BatchGetBuildsCommand({ ids: [buildId] }));
    const [build] = builds;
    if (build === undefined) return undefined;
    return build.buildStatus === 'IN_PROGRESS' ? 'running' : 'ended';
  }

  async find(buildIds: readonly string[]): Promise<readonly KnownBuild[]> {
    const { builds = [] } = await this.#client.send(new BatchGetBuildsCommand({ ids: [...buildIds] }));
    return builds.map((build) => ({
      id: build.id ?? '',
      project: build.projectName ?? '',
      variables: variablesOf(build),
      status: build.buildStatus === 'IN_PROGRESS' ? 'running' : 'ended',
    }));
  }

  /** Reads builds of each project from the newest on, a hundred at a time, until they are older than any that still runs can be. */
  async running(waypointPrefix: string): Promise<readonly string[]> {
    const found = await Promise.all(this.#projects.map((project) => this.#recent(project)));
    return found.flat().flatMap((build) => (belongsTo(build, waypointPrefix) && build.id ? [build.id] : []));
  }

  async stop(buildId: string): Promise<void> {
    try {
      await this.#client.send(new StopBuildCommand({ id: buildId }));
    } catch (error) {
      const gone = error instanceof ResourceNotFoundException || error instanceof InvalidInputException;
      if (!gone) throw error;
    }
  }

  async #recent(projectName: string): Promise<readonly Build[]> {
    const found: Build[] = [];
    let nextToken: string | undefined;
    do {
      const page = await this.#client.send(
        new ListBuildsForProjectCommand({ projectName, ...(nextToken !== undefined && { nextToken }) }),
      );
      const { ids = [] } = page;
      if (ids.length === 0) break;
      const { builds = [] } = await this.#client.send(new BatchGetBuildsCommand({ ids: ids.slice(0, 100) }));
      found.push(...builds);
      const oldest = builds.at(-1)?.startTime?.getTime() ?? 0;
      nextToken = Date.now() - oldest < longestBuildHours * 3_600_000 ? page.nextToken : undefined;
    } while (nextToken !== undefined);
    return found;
  }
}

function belongsTo(build: Build, waypointPrefix: string): boolean {
  const { KUBELOOM_JOB: job, KUBELOOM_WAYPOINT: older } = variablesOf(build);
  return build.buildStatus === 'IN_PROGRESS' && (job?.startsWith(`${waypointPrefix}/`) || older === waypointPrefix);
}

function variablesOf(build: Build): Readonly<Record<string, string | undefined>> {
  const variables = build.environment?.environmentVariables ?? [];
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}
