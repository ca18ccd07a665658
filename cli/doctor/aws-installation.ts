/** The stacks of an installation, and what must stand behind them: images of the runners, the key. */
import {
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { BatchGetProjectsCommand, type Project } from '@aws-sdk/client-codebuild';
import { DescribeImagesCommand } from '@aws-sdk/client-ecr';
import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import { type AwsCheck, isDenied, look, ok, skipped } from './aws-check.ts';
import type { AwsClients } from './aws-clients.ts';

const stackNames = ['storage', 'pipeline', 'api', 'observability'] as const;

export interface Found {
  readonly checks: readonly AwsCheck[];
  /** Of those runners that are there. */
  readonly projects: readonly Project[];
  readonly apiUrl?: string;
}

export async function checkInstallation(clients: AwsClients, installation: string, region: string): Promise<Found> {
  const deploy = `npx cdk deploy --all -c installation=${installation} -c region=${region}`;
  const stacks = new Map<string, Stack>();
  const checks: AwsCheck[] = [];
  for (const part of stackNames) {
    const name = `${installation}-${part}`;
    const found = await look(`stack ${name}`, 'cloudformation:DescribeStacks', async () => {
      const stack = await findStack(clients, name);
      if (stack) stacks.set(part, stack);
      return judgeStack(name, stack, deploy);
    });
    checks.push(...found);
  }
  const projects: Project[] = [];
  if (stacks.has('pipeline')) {
    const name = `${installation}-pipeline`;
    const images = await look('images of runners', 'cloudformation:ListStackResources', async () => {
      const ids = idsOf(await resourcesOf(clients, name), 'AWS::CodeBuild::Project');
      const answer = await clients.codeBuild.send(new BatchGetProjectsCommand({ names: ids }));
      projects.push(...(answer.projects ?? []));
      const gone = ids.filter((id) => !projects.some((project) => project.name === id));
      return [
        ...gone.map((id) => missingProject(id, deploy)),
        ...(await Promise.all(projects.map((project) => checkImage(clients, project, deploy)))).flat(),
      ];
    });
    checks.push(...images);
  } else checks.push(skipped('images of runners', 'the pipeline is not there'));
  if (stacks.has('storage')) {
    checks.push(...(await look('key', 'kms:DescribeKey', () => checkKey(clients, `${installation}-storage`, deploy))));
  } else checks.push(skipped('key', 'the storage is not there'));
  const apiUrl = stacks.get('api')?.Outputs?.find(({ OutputKey }) => OutputKey === 'Url')?.OutputValue;
  return { checks, projects, ...(apiUrl !== undefined && { apiUrl }) };
}

async function findStack({ cloudFormation }: AwsClients, StackName: string): Promise<Stack | undefined> {
  try {
    return (await cloudFormation.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}

function judgeStack(name: string, stack: Stack | undefined, deploy: string): AwsCheck {
  const title = `stack ${name}`;
  if (!stack) return { name: title, state: 'wrong', found: 'is not there', mend: deploy };
  const status = String(stack.StackStatus);
  if (/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)) return ok(title, status);
  if (status.endsWith('_IN_PROGRESS')) {
    const mend = `wait for it: aws cloudformation wait stack-update-complete --stack-name ${name}`;
    return { name: title, state: 'warning', found: status, mend };
  }
  if (status === 'UPDATE_ROLLBACK_COMPLETE') {
    const found = `${status}: the last deployment failed, the one before it runs`;
    return { name: title, state: 'warning', found, mend: deploy };
  }
  const events = `aws cloudformation describe-stack-events --stack-name ${name}`;
  return { name: title, state: 'wrong', found: status, mend: `${events} tells why; then ${deploy}` };
}

async function resourcesOf({ cloudFormation }: AwsClients, StackName: string): Promise<StackResourceSummary[]> {
  const found: StackResourceSummary[] = [];
  for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName }))
    found.push(...(page.StackResourceSummaries ?? []));
  return found;
}

function idsOf(resources: readonly StackResourceSummary[], type: string): string[] {
  return resources.flatMap(({ ResourceType, PhysicalResourceId: id }) => (ResourceType === type && id ? [id] : []));
}

function missingProject(id: string, deploy: string): AwsCheck {
  const found = 'the stack has it, CodeBuild does not: somebody removed it by hand';
  return { name: `runner ${id}`, state: 'wrong', found, mend: `${deploy} --force` };
}

/** `<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>` or `…@sha256:<digest>`. */
const imageUri =
  /^(\d{12})\.dkr\.ecr\.[\w-]+\.amazonaws\.com[\w.]*\/([^:@]+)(?::([\w.-]+))?(?:@(sha256:[0-9a-f]{64}))?$/;

async function checkImage({ ecr }: AwsClients, project: Project, deploy: string): Promise<readonly AwsCheck[]> {
  const name = `image of ${project.description?.replace('Kubeloom runner: ', '') ?? project.name}`;
  const image = project.environment?.image ?? '';
  const [, registryId, repositoryName, tag, digest] = imageUri.exec(image) ?? [];
  if (registryId === undefined || repositoryName === undefined) {
    return [{ name, state: 'wrong', found: `${image || 'none'} is no image of ECR`, mend: deploy }];
  }
  return look(name, 'ecr:DescribeImages', async () => {
    const imageIds = [digest === undefined ? { imageTag: tag ?? 'latest' } : { imageDigest: digest }];
    try {
      const answer = await ecr.send(new DescribeImagesCommand({ registryId, repositoryName, imageIds }));
      const [found] = answer.imageDetails ?? [];
      if (!found) throw Object.assign(new Error('no such image'), { name: 'ImageNotFoundException' });
      const megabytes = Math.round((found.imageSizeInBytes ?? 0) / 1e6);
      return ok(name, `${found.imageDigest}, ${megabytes} MB`);
    } catch (error) {
      if (!(error instanceof Error) || !/^(ImageNotFound|RepositoryNotFound)Exception$/.test(error.name)) throw error;
      const mend = `${deploy} --force (publishes images that are missing; a lifecycle rule of the repository may have removed it)`;
      return { name, state: 'wrong', found: `${image} is not in the registry`, mend };
    }
  });
}

async function checkKey(clients: AwsClients, stack: string, deploy: string): Promise<AwsCheck> {
  const [KeyId] = idsOf(await resourcesOf(clients, stack), 'AWS::KMS::Key');
  if (KeyId === undefined) return { name: 'key', state: 'wrong', found: `${stack} has none`, mend: deploy };
  try {
    const { KeyMetadata } = await clients.kms.send(new DescribeKeyCommand({ KeyId }));
    if (KeyMetadata?.KeyState === 'Enabled') return ok('key', `${KeyId} is enabled`);
    if (KeyMetadata?.KeyState === 'PendingDeletion') {
      const mend = `aws kms cancel-key-deletion --key-id ${KeyId} && aws kms enable-key --key-id ${KeyId}`;
      const when = KeyMetadata.DeletionDate?.toISOString().slice(0, 10) ?? 'soon';
      return {
        name: 'key',
        state: 'wrong',
        found: `will be deleted on ${when}, and all that it encrypts is lost then`,
        mend,
      };
    }
    const mend = `aws kms enable-key --key-id ${KeyId}`;
    return { name: 'key', state: 'wrong', found: `${KeyId} is ${KeyMetadata?.KeyState ?? 'unknown'}`, mend };
  } catch (error) {
    if (!isDenied(error)) throw error;
    const mend = 'let this principal kms:DescribeKey to find out';
    return { name: 'key', state: 'warning', found: `you may not look at ${KeyId}`, mend };
  }
}
