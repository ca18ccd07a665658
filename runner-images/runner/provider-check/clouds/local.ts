/** Type `local`: asks the machine that creates the hosts whether it accepts the account. */
import { spawnSync } from 'node:child_process';
import { type CheckFinding, type CheckOfType, identity, unreported } from '../finding.ts';

export const check: CheckOfType = async ({ fields }) => [answerOf(fields.account ?? '', fields.password ?? '')];

function answerOf(name: string, password: string): CheckFinding {
  const { error, status, stderr } = spawnSync(
    process.env.KUBELOOM_HOST_HELPER ?? 'kubeloom-host',
    ['account', 'check'],
    {
      encoding: 'utf8',
      env: { ...process.env, KUBELOOM_HOST_ACCOUNT: name, KUBELOOM_HOST_PASSWORD: password },
      timeout: 30_000,
    },
  );
  if (error !== undefined) return unreported('identity', name, `cannot be checked here (${error.message})`);
  if (status === 0) return identity(name, 'is accepted');
  const cause =
    stderr
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^kubeloom-host: account \S+: /, '') ?? '';
  return { about: 'identity', name, ok: false, message: `${cause}: correct the Secret` };
}
