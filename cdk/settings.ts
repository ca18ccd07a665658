/** Environment of functions and runners: the names in `contracts/config.ts`, filled with the resources of the stacks. */
import type { Config } from '#contracts/config.ts';
import { jobContract } from '#contracts/job-contract.ts';
import type { RunnerRelease } from '#contracts/runner-release.ts';
import type { RunnerTool } from '#functions/rights/runner-rights.ts';
import type { Options } from './options.ts';
import { offeredTypes } from './provider-types.ts';

export type Settings = Readonly<Record<string, string>> & Readonly<Partial<Record<keyof Config, string>>>;

export interface SettingsParts {
  readonly installation: string;
  readonly tableName: string;
  readonly bucketName: string;
  /** ARN of the key that encrypts secrets. */
  readonly secretKey: string;
  readonly reconcileArn: string;
  readonly rollOutArn: string;
  readonly askRunnerArn: string;
  /** Bus that events are published to. */
  readonly eventBus: string;
  /** Beginning of the ARNs of topics of Notifications. */
  readonly mailTopics: string;
  readonly projectNames: Readonly<Record<RunnerTool, string>>;
  /** Settings of the compute that is not chosen. */
  readonly otherProjectNames: readonly string[];
  readonly images: RunnerRelease['images'];
  /** Base URL of the API. */
  readonly agentUrl: string;
  /** The options of the deployment. */
  readonly options: Pick<
    Options,
    | 'admins'
    | 'budgets'
    | 'consoleUrl'
    | 'endlessKubeconfigs'
    | 'installationProxy'
    | 'providers'
    | 'repairsPerHour'
    | 'runnerCidrs'
    | 'templateSources'
    | 'templatePrivateHosts'
    | 'templateUrls'
    | 'ownApprovals'
    | 'requireApproval'
  >;
}

/** What every function gets. */
export function functionSettings(parts: SettingsParts): Settings {
  return {
    ...commonSettings(parts),
    KUBELOOM_RECONCILE_ARN: parts.reconcileArn,
    KUBELOOM_ROLL_OUT_ARN: parts.rollOutArn,
    KUBELOOM_ASK_RUNNER_ARN: parts.askRunnerArn,
    KUBELOOM_EVENT_BUS: parts.eventBus,
    KUBELOOM_MAIL_TOPICS: parts.mailTopics,
    KUBELOOM_RUNNER_PROJECTS: JSON.stringify(parts.projectNames),
    KUBELOOM_OTHER_PROJECTS: parts.otherProjectNames.join(','),
    KUBELOOM_RUNNER_RELEASE: JSON.stringify({ contract: jobContract(), images: parts.images } satisfies RunnerRelease),
    KUBELOOM_AGENT_URL: parts.agentUrl,
    KUBELOOM_ADMINS: parts.options.admins.join(','),
    KUBELOOM_REPAIRS_PER_HOUR: String(parts.options.repairsPerHour),
    KUBELOOM_REQUIRE_APPROVAL: parts.options.requireApproval.join(','),
    KUBELOOM_OWN_APPROVALS: parts.options.ownApprovals ? 'allowed' : 'refused',
    KUBELOOM_INSTALLATION_PROXY: parts.options.installationProxy,
    KUBELOOM_CONSOLE_URL: parts.options.consoleUrl,
    KUBELOOM_BUDGETS: parts.options.budgets.join(','),
    KUBELOOM_ENDLESS_KUBECONFIGS: parts.options.endlessKubeconfigs ? 'yes' : 'no',
    // The image of the nodes stage is built with it.
    KUBELOOM_UPSTREAM_DOCUMENTS: 'longhorn',
    KUBELOOM_DEFAULT_STORAGE: 'longhorn',
  };
}

/** What every runner gets: it starts nothing, so it knows neither state machine nor projects. */
export function runnerSettings(
  parts: Pick<SettingsParts, 'installation' | 'tableName' | 'bucketName' | 'secretKey' | 'options'> & {
    /** Where a runner asks for the credentials of its build. */
    readonly credentialsUrl: string;
  },
): Settings {
  return {
    ...commonSettings(parts),
    KUBELOOM_CREDENTIALS_URL: parts.credentialsUrl,
    KUBELOOM_RUNNER_PROJECTS: '{}',
  };
}

function commonSettings(
  parts: Pick<SettingsParts, 'installation' | 'tableName' | 'bucketName' | 'secretKey' | 'options'>,
): Settings {
  return {
    KUBELOOM_INSTALLATION: parts.installation,
    KUBELOOM_TABLE: parts.tableName,
    KUBELOOM_BUCKET: parts.bucketName,
    KUBELOOM_SECRET_PREFIX: secretPrefix(parts.installation),
    KUBELOOM_SECRET_KEY: parts.secretKey,
    KUBELOOM_PROVIDER_TYPES: offeredTypes(parts.options).join(','),
    KUBELOOM_RUNNER_CIDRS: parts.options.runnerCidrs.join(','),
    KUBELOOM_TEMPLATE_SOURCES: parts.options.templateSources,
    KUBELOOM_TEMPLATE_PRIVATE_HOSTS: parts.options.templatePrivateHosts.join(','),
    KUBELOOM_TEMPLATE_URLS: parts.options.templateUrls.join(','),
  };
}

/** SSM path below which an installation keeps its secrets. */
export function secretPrefix(installation: string): string {
  return `/${installation}`;
}

/** What the names of topics of Notifications begin with; no other topic has a `_`. */
export function mailTopics(installation: string): string {
  return `${installation}-notification_`;
}
