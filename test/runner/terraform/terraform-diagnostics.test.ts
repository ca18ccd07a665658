/** What Terraform's diagnostics mean. Texts as the providers and Terraform print them. */
import { describe, expect, it } from 'vitest';
import { exitMeaning, terraformError } from '#runner/terraform/cli/diagnostics.ts';
import { readMessage } from '#runner/terraform/cli/messages.ts';

const nodes = new Set(['control-aaaaaaa-01']);
const about = (summary: string, detail = '', address?: string) =>
  terraformError({
    code: 'TerraformApplyFailed',
    diagnostics: [{ severity: 'error', summary, detail, ...(address === undefined ? {} : { address }) }],
    nodes,
    workspace: 'machines-hz',
    fallback: '',
  });

const local = (status: number, output: string) =>
  [
    'local-exec provisioner error',
    `Error running command 'exec "\${KUBELOOM_HOST_HELPER:-kubeloom-host}" up': exit status ${status}. Output: ${output}`,
  ] as const;

describe('Terraform failures', () => {
  it.each([
    ['credentials', 'unable to authenticate', 'the token you supplied is invalid (unauthorized, 0123)'],
    ['credentials', 'validating provider credentials: InvalidClientTokenId: The security token included is invalid'],
    ['credentials', 'googleapi: Error 403: Required permission denied on project, forbidden'],
    [
      'quota',
      'creating EC2 Instance: VcpuLimitExceeded: You have requested more vCPU capacity than your current limit',
    ],
    ['quota', "googleapi: Error 403: Quota 'CPUS' exceeded.  Limit: 24.0 in region europe-west1., quotaExceeded"],
    ['quota', 'server limit reached (resource_limit_exceeded, 0123)'],
    ['quota', 'creating this/these droplet(s) will exceed your droplet limit'],
    ['capacity', "The zone 'projects/p/zones/z' does not have enough resources available to fulfill the request."],
    ['capacity', 'polling failed: OverconstrainedZonalAllocationRequest: Allocation failed.'],
    ['capacity', 'InsufficientInstanceCapacity: We currently do not have sufficient m5.large capacity'],
    ['capacity', 'error during placement (resource_unavailable, 0123)'],
    ['capacity', 'Error waiting for instance: ZONE_RESOURCE_POOL_EXHAUSTED'],
    ['capacity', '500-InternalError, Out of host capacity.'],
    ['transient', 'dial tcp: lookup api.hetzner.cloud: i/o timeout'],
    ['transient', 'Post "https://ec2.amazonaws.com/": net/http: TLS handshake timeout'],
    ['transient', 'Throttling: Rate exceeded', 'rate limit exceeded'],
    ['transient', 'creating EC2 Instance: RequestLimitExceeded: Request limit exceeded.'],
    ['transient', 'unexpected status 429 with error: TooManyRequests: wait'],
    ['transient', 'Expected HTTP response code [202] when accessing [POST https://cloud], but got 503 instead'],
    ['transient', 'GET https://api.digitalocean.com/v2/vpcs: 500 (request "0123") Server Error'],
    ['credentials', 'Service error:NotAuthorizedOrNotFound. Authorization failed or requested resource not found.'],
    [
      'conflict',
      'Error acquiring the state lock',
      'operation error S3: PutObject, StatusCode: 412, PreconditionFailed',
    ],
    ['conflict', 'name is already used (uniqueness_error, 0123)'],
    ['user', 'InvalidAMIID.NotFound: The image id [ami-1] does not exist'],
    ['user', 'server type cx999 not found'],
    [
      'user',
      'Unsupported: Your requested instance type (t4g.small) is not supported in your requested Availability Zone',
    ],
    ['user', 'InvalidParameterValue: a volume of 500 GiB is larger than its snapshot allows'],
    ['bug', 'Unsupported argument', 'An argument named "datacentr" is not expected here.'],
    ['user', ...local(3, 'kubeloom-host: up x: not root')],
    ['conflict', ...local(5, 'kubeloom-host: up x: lock not had in time')],
    ['transient', ...local(4, 'kubeloom-host: up x: no SSH banner')],
    ['credentials', ...local(7, 'kubeloom-host: up x: the credentials of rack are refused: wrong password')],
    ['transient', 'something never seen before'],
  ])('a Terraform failure is of class %s: %s', (expected, summary, detail = '') => {
    expect(about(summary, detail).class).toBe(expected);
  });

  it('an exit code of a hook means the same as one of a provisioner; unknown codes are transient', () => {
    expect([3, 4, 5, 6, 7].map((code) => exitMeaning(code).class)).toEqual([
      ...['user', 'transient', 'conflict', 'transient', 'credentials'],
    ]);
    expect([1, 2, 137].map((code) => exitMeaning(code).class)).toEqual(['transient', 'transient', 'transient']);
  });

  it('a Terraform failure names the host of its address, else the resource, else the workspace', () => {
    expect(about('x', '', 'module.pool_a.terraform_data.host["control-aaaaaaa-01"]').resource).toBe(
      'control-aaaaaaa-01',
    );
    expect(about('x', '', 'module.network_a.aws_vpc.this').resource).toBe('module.network_a.aws_vpc.this');
    expect(about('x').resource).toBe('machines-hz');
  });

  it('a Terraform failure quotes the last output of a provisioner instead of its command', () => {
    const { message } = about(...local(4, 'building\nkubeloom-host: up x: no SSH banner after 20 s\n'));
    expect(message).toBe('local-exec provisioner error: building; kubeloom-host: up x: no SSH banner after 20 s');
  });

  it('a Terraform failure reports the most certain of several errors, and how many more there are', () => {
    const diagnostics = [
      { severity: 'warning', summary: 'quota of warnings', detail: '' },
      { severity: 'error', summary: 'odd', detail: '' },
      { severity: 'error', summary: 'quota exceeded', detail: '' },
    ];
    const error = terraformError({ code: 'C', diagnostics, nodes, workspace: 'w', fallback: '' });
    expect(error).toMatchObject({ class: 'quota', message: 'quota exceeded (and 1 more)' });
  });

  it('a Terraform failure without a diagnostic shows the output of the command', () => {
    const error = terraformError({
      code: 'C',
      diagnostics: [],
      nodes,
      workspace: 'w',
      fallback: 'no space left on device',
    });
    expect(error).toMatchObject({ message: 'no space left on device', class: 'platform' });
  });
});

describe('output lines of Terraform', () => {
  it('a JSON line of Terraform is parsed, with its text for people', () => {
    const line =
      '{"@level":"info","@message":"Plan: 1 to add","type":"change_summary","changes":{"add":1,"change":0,"remove":0,"operation":"plan"}}';
    expect(readMessage(line)).toMatchObject({ words: 'Plan: 1 to add', message: { type: 'change_summary' } });
  });

  it('a line of Terraform of another kind, or that is not JSON, is plain text', () => {
    expect(readMessage('{"@message":"Terraform 1.11.4","type":"version"}')).toEqual({ words: 'Terraform 1.11.4' });
    expect(readMessage('{broken')).toEqual({ words: '{broken' });
  });
});
