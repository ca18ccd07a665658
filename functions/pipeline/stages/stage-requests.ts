/** The input of the states after Plan Cluster for each stage: whether it has work, which project does it, what follows. */
import type { Config } from '#contracts/config.ts';
import type { RunRecord } from '#contracts/records.ts';
import { RunWork } from '#contracts/stage.ts';
import type { PlanClusterOutput, StageRequest } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import { type StagePlan, undoRungs, type Waypoint } from '#domain/plan.ts';
import type { RunnerTool } from '../../rights/runner-rights.ts';
import { checksumOf } from '../records/checksum.ts';

/** The tool that runs each stage; checks for drift have a container with all of them. */
export const toolOfStage = {
  infrastructure: 'terraform',
  configuration: 'ansible',
  kubernetes: 'kubeone',
  nodes: 'kubectl',
  traffic: 'ansible',
  drift: 'drift',
} as const satisfies Record<RunWork, RunnerTool>;

/** No waypoint: every slot is empty. */
export function nothingToDo(direction: 'none' | 'refused' | 'wait'): PlanClusterOutput {
  const slot = (mode: 'do' | 'undo', stage: RunWork): StageRequest => {
    return { stage, mode, hasWork: false, project: '', waypointPrefix: '', step: 0 };
  };
  return outputOf(direction, '', slot);
}

export interface StageRequestInput {
  readonly waypoint: Pick<Waypoint, 'direction' | 'undo'>;
  /** Stages that are still to be done, in their order. */
  readonly remaining: readonly StagePlan[];
  readonly waypointPrefix: string;
  /** Steps of the run that are done before this waypoint. */
  readonly stepsBefore: number;
  readonly runners: Runners;
}

/** What stages are run with, by tool. */
export interface Runners {
  /** CodeBuild projects. */
  readonly projects: Readonly<Record<string, string>>;
  /** A tool without one has the image that its project names. */
  readonly images: Readonly<Record<string, string>>;
}

/**
 * Those of a run: the images that it began with, for as long as the functions of today write what these can read; projects are
 * always those of today.
 */
export function runnersOfRun(run: Pick<RunRecord, 'runners'> | undefined, config: Config): Runners {
  const { KUBELOOM_RUNNER_PROJECTS: projects, KUBELOOM_RUNNER_RELEASE: now } = config;
  const release = run?.runners?.contract === now?.contract ? run?.runners : now;
  return { projects, images: release?.images ?? {} };
}

/** The slots of a waypoint. Throws `InternalFault` when a stage has no project. */
export function stageRequests({
  waypoint,
  remaining,
  waypointPrefix,
  stepsBefore,
  runners,
}: StageRequestInput): PlanClusterOutput {
  return outputOf(waypoint.direction, waypointPrefix, (mode, stage) => {
    const plans = mode === 'do' ? remaining : waypoint.undo;
    const place = plans.findIndex((plan) => plan.stage === stage);
    const hasWork = place >= 0;
    const after = plans[place + 1]?.stage;
    const position = { step: stepsBefore + place + 1, ...(hasWork && after && { next: after }) };
    const build = hasWork ? stageBuild({ waypointPrefix, stage, mode }, runners) : { project: '' };
    return { stage, mode, hasWork, ...build, waypointPrefix, ...position };
  });
}

function outputOf(
  direction: PlanClusterOutput['direction'],
  waypointPrefix: string,
  slot: (mode: 'do' | 'undo', stage: RunWork) => StageRequest,
): PlanClusterOutput {
  const forward = RunWork.options.map((stage) => [stage, slot('do', stage)] as const);
  const back = Object.entries(undoRungs).map(([rung, stage]) => [rung, slot('undo', stage)] as const);
  return {
    direction,
    waypointPrefix,
    do: Object.fromEntries(forward) as PlanClusterOutput['do'],
    undo: Object.fromEntries(back) as PlanClusterOutput['undo'],
  };
}

type StagePlace = Pick<StageRequest, 'waypointPrefix' | 'stage' | 'mode'>;

/** What the container of a stage is started from, and under which name its execution. Throws `InternalFault` when it has no project. */
export function stageBuild(
  place: StagePlace,
  { projects, images }: Runners,
): Pick<StageRequest, 'project' | 'image' | 'execution'> {
  const image = images[toolOfStage[place.stage]];
  const project = projectOf(place.stage, projects);
  return { project, ...(image !== undefined && { image }), execution: executionName(place) };
}

/** Step Functions takes no longer ones. */
const longestName = 80;

/** `<run>-<cluster>-w03-kubernetes`: no other stage has it, since waypoints of a run are counted. A long one has a hash in place of its middle. */
export function executionName({ waypointPrefix, stage, mode }: StagePlace): string {
  const [, , , run, cluster, waypoint] = waypointPrefix.split('/');
  const end = `-${waypoint}-${stage}${mode === 'undo' ? '-undo' : ''}`;
  const whole = `${run}-${cluster}`;
  if (whole.length + end.length <= longestName) return whole + end;
  const hash = `-${checksumOf(waypointPrefix).slice(0, 10)}`;
  return whole.slice(0, longestName - end.length - hash.length) + hash + end;
}

function projectOf(stage: RunWork, projects: Readonly<Record<string, string>>): string {
  const project = projects[toolOfStage[stage]];
  if (project) return project;
  const message = `no CodeBuild project is known for ${toolOfStage[stage]}; add it to KUBELOOM_RUNNER_PROJECTS`;
  throw new PipelineError('InternalFault', message);
}
