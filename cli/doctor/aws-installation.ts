/** The stacks of an installation, and what they need: images of the runners, the key. */
import {
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import { BatchGetProjectsCommand, type Project } from '@aws-sdk/client-codebuild';
import { DescribeImagesCommand } from '@aws-sdk/client-ecr';
import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import type { AwsClients } from './aws-check.ts';
import { type AwsCheck, isDenied, look, passed, skipped, warned, wrong } from './aws-check.ts';
import { checkOpenDefaults } from './open-defaults.ts';

const stackNames = ['storage', 'pipeline', 'api', 'observability'] as const;

/** The command that deploys all stacks; `more` are options of it. An option of Kubeloom that is left out gets its default. */
type Deploy = (more?: string) => string;

export interface Found {
  readonly checks: readonly AwsCheck[];
  /** Projects of the runners that exist. */
  readonly projects: readonly Project[];
  readonly apiUrl?: string;
}

export async function checkInstallation(clients: AwsClients, installation: string, region: string): Promise<Found> {
  const deploy: Deploy = (more = '') =>
    `npx cdk deploy --all -c installation=${installation} -c region=${region}${more} # and every other -c that you gave before`;
  const stacks = new Map<string, Stack>();
  const checks: AwsCheck[] = [];
  for (const part of stackNames) {
    const name = `${installation}-${part}`;
    const found = await look(`stack ${name}`, 'cloudformation:DescribeStacks', async () => {
      const stack = await findStack(clients, name);
      if (stack) stacks.set(part, stack);
      return assessStack({ name, stack, region, deploy });
    });
    checks.push(...found);
  }
  checks.push(...checkOpenDefaults(stacks, deploy));
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
  } else checks.push(skipped('images of runners', 'the pipeline is not deployed'));
  if (stacks.has('storage')) {
    checks.push(
      ...(await look('key', 'kms:DescribeKey', () =>
        checkKey(clients, { stack: `${installation}-storage`, region, deploy }),
      )),
    );
  } else checks.push(skipped('key', 'the storage is not deployed'));
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

interface Judged {
  readonly name: string;
  readonly stack: Stack | undefined;
  readonly region: string;
  readonly deploy: Deploy;
}

function assessStack({ name, stack, region, deploy }: Judged): AwsCheck {
  const title = `stack ${name}`;
  if (!stack) return wrong(title, 'is not deployed', deploy());
  const status = String(stack.StackStatus);
  const command = (verb: string) => `aws cloudformation ${verb} --stack-name ${name} --region ${region}`;
  if (/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)) return passed(title, status);
  if (status.endsWith('_IN_PROGRESS')) {
    const end = status.startsWith('CREATE') ? 'create' : status.startsWith('DELETE') ? 'delete' : 'update';
    return warned(title, status, `wait for it: ${command(`wait stack-${end}-complete`)}`);
  }
  if (status === 'UPDATE_ROLLBACK_COMPLETE') {
    return warned(title, `${status}: the last deployment failed, the one before it runs`, deploy());
  }
  const why = `${command('describe-stack-events')} shows why`;
  // The first deployment failed: the stack never held data, and it must be deleted before it can be created again.
  if (status === 'ROLLBACK_COMPLETE') {
    const unlock = stack.EnableTerminationProtection
      ? `${command('update-termination-protection --no-enable-termination-protection')} && `
      : '';
    return wrong(title, status, `${why}; then ${unlock}${deploy()}`);
  }
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return wrong(title, status, `${why}; then ${command('continue-update-rollback')}`);
  return wrong(title, status, `${why}; then ${deploy()}`);
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

/** CloudFormation recreates a resource only with the option that lets it compare with reality. */
function missingProject(id: string, deploy: Deploy): AwsCheck {
  const found = 'the stack has it, CodeBuild does not: it was deleted by hand';
  return wrong(`runner ${id}`, found, deploy(' --revert-drift'));
}

/** `<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>` or `…@sha256:<digest>`. */
const imageUri =
  /^(\d{12})\.dkr\.ecr\.[\w-]+\.amazonaws\.com[\w.]*\/([^:@]+)(?::([\w.-]+))?(?:@(sha256:[0-9a-f]{64}))?$/;

async function checkImage({ ecr }: AwsClients, project: Project, deploy: Deploy): Promise<readonly AwsCheck[]> {
  const name = `image of ${project.description?.replace('Kubeloom runner: ', '') ?? project.name}`;
  const image = project.environment?.image ?? '';
  const [, registryId, repositoryName, tag, digest] = imageUri.exec(image) ?? [];
  if (registryId === undefined || repositoryName === undefined) {
    return [wrong(name, `${image || 'none'} is not an image of ECR`, deploy())];
  }
  return look(name, 'ecr:DescribeImages', async () => {
    const imageIds = [digest === undefined ? { imageTag: tag ?? 'latest' } : { imageDigest: digest }];
    try {
      const answer = await ecr.send(new DescribeImagesCommand({ registryId, repositoryName, imageIds }));
      const [found] = answer.imageDetails ?? [];
      if (!found) throw Object.assign(new Error('no such image'), { name: 'ImageNotFoundException' });
      const megabytes = Math.round((found.imageSizeInBytes ?? 0) / 1e6);
      return passed(name, `${found.imageDigest}, ${megabytes} MB`);
    } catch (error) {
      if (!(error instanceof Error) || !/^(ImageNotFound|RepositoryNotFound)Exception$/.test(error.name)) throw error;
      const found = `${image} is not in the registry; a lifecycle rule of the repository may have removed it`;
      return wrong(name, found, deploy(' --force'));
    }
  });
}

async function checkKey(
  clients: AwsClients,
  { stack, region, deploy }: { readonly stack: string; readonly region: string; readonly deploy: Deploy },
): Promise<AwsCheck> {
  const [KeyId] = idsOf(await resourcesOf(clients, stack), 'AWS::KMS::Key');
  if (KeyId === undefined) return wrong('key', `${stack} has none`, deploy());
  const command = (verb: string) => `aws kms ${verb} --key-id ${KeyId} --region ${region}`;
  try {
    const { KeyMetadata } = await clients.kms.send(new DescribeKeyCommand({ KeyId }));
    if (KeyMetadata?.KeyState === 'Enabled') return passed('key', `${KeyId} is enabled`);
    if (KeyMetadata?.KeyState === 'PendingDeletion') {
      const fix = `${command('cancel-key-deletion')} && ${command('enable-key')}`;
      const when = KeyMetadata.DeletionDate?.toISOString().slice(0, 10) ?? 'soon';
      return wrong('key', `will be deleted on ${when}; everything that it encrypts is lost then`, fix);
    }
    return wrong('key', `${KeyId} is ${KeyMetadata?.KeyState ?? 'unknown'}`, command('enable-key'));
  } catch (error) {
    if (!isDenied(error)) throw error;
    return warned('key', `access to ${KeyId} denied`, 'let this principal kms:DescribeKey to find out');
  }
}
