/** The composition root: the only place that joins ports with adapters. Once for each process. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DynamoClusters } from '#adapters/dynamo-clusters.ts';
import { DynamoEvents } from '#adapters/dynamo-events.ts';
import { DynamoManifests } from '#adapters/dynamo-manifests.ts';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { randomIds, systemClock } from '#adapters/system-clock.ts';
import { parseConfig } from '#contracts/config.ts';
import type { Builds } from './build-ports.ts';
import type { Mail } from './mail-port.ts';
import type { Artifacts, Deps, EventBus, Receivers, SecretStore, TemplateSources, Workflows } from './ports.ts';

let wired: Deps | undefined;

/** The ports of this process, made from its environment on first use. */
export function wire(): Deps {
  wired ??= portsOf(process.env);
  return wired;
}

/** Uses these ports from now on (undefined: those of the environment): for tests. */
export function useDeps(deps: Deps | undefined): void {
  wired = deps;
}

/** Keys, which the SDK asks for again before they expire. */
export interface ClientCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** What clients of the SDK get in addition to its own variables. */
export interface ClientOptions {
  /** @default those of the SDK's own variables */
  readonly credentials?: ClientCredentials | (() => Promise<ClientCredentials>);
}

/** The ports for this environment. Endpoints and region come from the SDK's own variables. */
export function portsOf(environment: Readonly<Record<string, string | undefined>>, clients: ClientOptions = {}): Deps {
  const config = parseConfig(environment);
  const documentClient = DynamoDBDocumentClient.from(new DynamoDBClient(clients), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const table = new DynamoTable(documentClient, config.KUBELOOM_TABLE);
  const artifacts = onFirstUse<Artifacts>(async () => {
    const { S3Artifacts } = await import('#adapters/s3-artifacts.ts');
    return S3Artifacts.of(clients, config.KUBELOOM_BUCKET);
  });
  const documents = new LargeDocuments(artifacts);
  const manifests = new DynamoManifests(table, documents);
  return {
    manifests,
    clusters: new DynamoClusters(table, documents),
    events: new DynamoEvents(table),
    ...portsInTable(table),
    bus: onFirstUse<EventBus>(async () => {
      const { EventBridgeBus } = await import('#adapters/eventbridge-bus.ts');
      return new EventBridgeBus(config.KUBELOOM_EVENT_BUS, environment);
    }),
    budgets: onFirstUse<Deps['budgets']>(async () => {
      const { DynamoBudgets } = await import('#adapters/dynamo-budgets.ts');
      return new DynamoBudgets(table, manifests);
    }),
    roleBindings: onFirstUse<Deps['roleBindings']>(async () => {
      const { DynamoRoleBindings } = await import('#adapters/dynamo-role-bindings.ts');
      return new DynamoRoleBindings(table, config.KUBELOOM_ROLES_FRESH_MS);
    }),
    templateSources: onFirstUse<TemplateSources>(async () => {
      const { GitReferences, recordedTemplateSources } = await import('#adapters/git-references.ts');
      return config.KUBELOOM_TEMPLATE_SOURCES === 'recorded'
        ? recordedTemplateSources
        : new GitReferences({ privateHosts: config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS });
    }),
    receivers: onFirstUse<Receivers>(async () => {
      const { HttpReceivers } = await import('#adapters/http-receivers.ts');
      return new HttpReceivers({ privateHosts: config.KUBELOOM_NOTIFICATION_PRIVATE_HOSTS });
    }),
    mail: onFirstUse<Mail>(async () => {
      const { SnsMail } = await import('#adapters/sns-mail.ts');
      return SnsMail.of(clients, config.KUBELOOM_MAIL_TOPICS);
    }),
    artifacts,
    workflows: onFirstUse<Workflows>(async () => {
      const { SfnWorkflows } = await import('#adapters/sfn-workflows.ts');
      // StartSyncExecution goes to a host of its own, sync-…; an endpoint that was given has no such other one.
      const disableHostPrefix = environment.AWS_ENDPOINT_URL_SFN !== undefined;
      return SfnWorkflows.of(
        { ...clients, disableHostPrefix },
        {
          reconcile: config.KUBELOOM_RECONCILE_ARN,
          rollOut: config.KUBELOOM_ROLL_OUT_ARN,
          askRunner: config.KUBELOOM_ASK_RUNNER_ARN,
        },
      );
    }),
    builds: onFirstUse<Builds>(async () => {
      const { CodeBuildBuilds } = await import('#adapters/codebuild-builds.ts');
      const { KUBELOOM_RUNNER_PROJECTS: projects, KUBELOOM_OTHER_PROJECTS: others } = config;
      return CodeBuildBuilds.of(clients, [...Object.values(projects), ...others]);
    }),
    buildSessions: onFirstUse<Deps['buildSessions']>(async () => {
      const { StsSessions } = await import('#adapters/sts-sessions.ts');
      return StsSessions.of(clients);
    }),
    secrets: onFirstUse<SecretStore>(async () => {
      const { SsmSecrets } = await import('#adapters/ssm-secrets.ts');
      return SsmSecrets.of(clients, config.KUBELOOM_SECRET_PREFIX, config.KUBELOOM_SECRET_KEY);
    }),
    clock: systemClock,
    ids: randomIds,
    config,
  };
}

/** Ports that need nothing but the table, and that few functions use. */
function portsInTable(table: DynamoTable) {
  const inTable = <Port extends PromisingPort<Port>>(load: () => Promise<new (table: DynamoTable) => Port>) =>
    onFirstUse<Port>(async () => new (await load())(table));
  return {
    demands: inTable<Deps['demands']>(async () => (await import('#adapters/dynamo-demands.ts')).DynamoDemands),
    agentReports: inTable<Deps['agentReports']>(
      async () => (await import('#adapters/dynamo-agent-reports.ts')).DynamoAgentReports,
    ),
    repairBudget: inTable<Deps['repairBudget']>(
      async () => (await import('#adapters/dynamo-repair-budget.ts')).DynamoRepairBudget,
    ),
    runs: inTable<Deps['runs']>(async () => (await import('#adapters/dynamo-runs.ts')).DynamoRuns),
    feed: inTable<Deps['feed']>(async () => (await import('#adapters/dynamo-event-feed.ts')).DynamoEventFeed),
    templateReferences: inTable<Deps['templateReferences']>(
      async () => (await import('#adapters/dynamo-templates.ts')).DynamoTemplates,
    ),
    inventory: inTable<Deps['inventory']>(async () => (await import('#adapters/dynamo-inventory.ts')).DynamoInventory),
    rollOuts: inTable<Deps['rollOuts']>(async () => (await import('#adapters/dynamo-roll-outs.ts')).DynamoRollOuts),
    gitSources: inTable<Deps['gitSources']>(
      async () => (await import('#adapters/dynamo-git-sources.ts')).DynamoGitSources,
    ),
    notifications: inTable<Deps['notifications']>(
      async () => (await import('#adapters/dynamo-notifications.ts')).DynamoNotifications,
    ),
    waitingPlans: inTable<Deps['waitingPlans']>(
      async () => (await import('#adapters/dynamo-waiting-plans.ts')).DynamoWaitingPlans,
    ),
    buildGrants: inTable<Deps['buildGrants']>(
      async () => (await import('#adapters/dynamo-build-grants.ts')).DynamoBuildGrants,
    ),
  };
}

type PromisingPort<Port> = { [Method in keyof Port]: (...input: never[]) => Promise<unknown> };

/** A port whose methods all answer promises; its adapter is loaded and made when the first of them is called. */
function onFirstUse<Port extends PromisingPort<Port>>(make: () => Promise<Port>): Port {
  let made: Promise<Port> | undefined;
  const called =
    (method: keyof Port) =>
    async (...input: never[]) => {
      made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return (await made)[method](...input);
    };
  // An awaited port must not get a call of a method `then`.
  return new Proxy({} as Port, { get: (_, name) => (name === 'then' ? undefined : called(name as keyof Port)) });
}
