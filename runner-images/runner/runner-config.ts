/** What the environment of a runner sets: read once, judged, and part of the context of its job. */
import { tmpdir } from 'node:os';
import { delimiter } from 'node:path';
import { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The same as absent, if it is empty. */
const text = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));

const textOr = (usual: () => string) => text.transform((value) => value ?? usual());

const directories = z
  .string()
  .default('')
  .transform((value): readonly string[] => value.split(delimiter).filter(Boolean));

/** `what`: as in "it has to be a number of minutes". */
const amount = (what: string, isRight: (value: number) => boolean = () => true) =>
  text.transform((value, { addIssue }) => {
    if (value === undefined) return undefined;
    if (/^\d+(\.\d+)?$/.test(value) && isRight(Number(value)) && Number.isFinite(Number(value))) return Number(value);
    addIssue(`it is "${value}" and has to be ${what}`);
    return z.NEVER;
  });

const milliseconds = amount('a number of milliseconds');
const whole = (value: number): boolean => Number.isInteger(value) && value > 0;

/** By name in `RunnerConfig`: the variable, and how it is read. */
const settings = {
  /** A program: a path, or a name that the system finds. Undefined: `tofu` or `terraform` of the path. */
  terraform: ['KUBELOOM_TERRAFORM', text],
  ansiblePlaybook: ['KUBELOOM_ANSIBLE_PLAYBOOK', textOr(() => 'ansible-playbook')],
  /** Undefined: the `kubeone` of the path for the Kubernetes version. */
  kubeone: ['KUBELOOM_KUBEONE', text],
  kubectl: ['KUBELOOM_KUBECTL', textOr(() => 'kubectl')],
  ssh: ['KUBELOOM_SSH', textOr(() => 'ssh')],
  /** Directories of programs. */
  path: ['PATH', directories],
  /** Directories of the user with add-ons. */
  addons: ['KUBELOOM_ADDONS', directories],
  /** Directories of the user with upstream files of documents. */
  documents: ['KUBELOOM_DOCUMENTS', directories],
  /** Image of Node that pods of agents have in place of the one that their templates name, for sites whose registry has no other. */
  agentImage: ['KUBELOOM_AGENT_IMAGE', text],
  /** Undefined: those that come with the runner. */
  templates: ['KUBELOOM_TEMPLATES', text],
  /** Where private directories of jobs are created. */
  workDirectory: ['KUBELOOM_WORK_DIRECTORY', textOr(tmpdir)],
  /** Directory of unpacked Terraform plugins. */
  providerMirror: ['KUBELOOM_PROVIDER_MIRROR', text],
  /** The user's own configuration of Terraform. */
  terraformConfiguration: ['TF_CLI_CONFIG_FILE', text],
  /** File with authorities that Node trusts in addition to the system's. */
  authorities: ['NODE_EXTRA_CA_CERTS', text],
  region: ['AWS_REGION', textOr(() => 'us-east-1')],
  /** What a lock or a claim names as its owner: the build, or the process. */
  build: ['CODEBUILD_BUILD_ID', textOr(() => `process ${process.pid}`)],
  /** Where the credentials of the build are asked for. Undefined: those of the environment are used. */
  credentialsUrl: ['KUBELOOM_CREDENTIALS_URL', text],
  /** Terraform processes at once; each takes some hundred MB with a large provider. */
  workspacesAtOnce: ['KUBELOOM_TERRAFORM_WORKSPACES', amount('a whole number above 0', whole).transform((n = 6) => n)],
  /** Until drift is looked for again: longer than a kubelet is silent while it restarts, or a control plane while it changes its leader. */
  secondLookMs: ['KUBELOOM_SECOND_LOOK_SECONDS', amount('a number of seconds').transform((n = 60) => n * 1000)],
  /** Limits of a job: see `JobOptions`. */
  longestMinutes: ['KUBELOOM_STAGE_MINUTES', amount('a number of minutes')],
  graceMs: ['KUBELOOM_GRACE_MS', milliseconds],
  stopPollMs: ['KUBELOOM_STOP_POLL_MS', milliseconds],
  /** The sim runner has these: see `SimOptions`. */
  simStageMs: ['KUBELOOM_SIM_STAGE_MS', milliseconds.transform((n = 0) => n)],
  simFaults: ['KUBELOOM_SIM_FAULTS', text],
  simDrift: ['KUBELOOM_SIM_DRIFT', text],
} as const satisfies Readonly<Record<string, readonly [variable: string, read: z.ZodType]>>;

export type RunnerConfig = { readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name][1]> } & {
  /** All of it, as it is handed on to tools and to templates that name variables; live, since the identity of the build changes in it. */
  readonly environment: Environment;
};

/** The environment is not what a runner can work with; the message names each variable. */
export class EnvironmentFaulty extends Error {}

/** Throws `EnvironmentFaulty`. */
export function runnerConfig(environment: Environment): RunnerConfig {
  const faults: string[] = [];
  const read = Object.entries(settings).map(([name, [variable, schema]]) => {
    const { success, data, error } = schema.safeParse(environment[variable]);
    if (!success) faults.push(`${variable}: ${error.issues.map(({ message }) => message).join(', ')}`);
    return [name, data] as const;
  });
  if (faults.length === 0) return { ...Object.fromEntries(read), environment } as RunnerConfig;
  throw new EnvironmentFaulty(`The runner does not start: ${faults.join('; ')}. Correct its environment.`);
}

/** Those of the limits of a job that are set. */
export function limitsIn(config: RunnerConfig): Partial<Record<'longestMinutes' | 'graceMs' | 'stopPollMs', number>> {
  const { longestMinutes, graceMs, stopPollMs } = config;
  return {
    ...(longestMinutes !== undefined && { longestMinutes }),
    ...(graceMs !== undefined && { graceMs }),
    ...(stopPollMs !== undefined && { stopPollMs }),
  };
}
