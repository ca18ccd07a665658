/**
 * Lambda compute in AWS: a user without a name, who may write to the temporary directory and nowhere else. Programs that want a name
 * work there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const library = readdirSync('/usr/lib').some((folder) => existsSync(join('/usr/lib', folder, 'libnss_wrapper.so')));
const runner = join(import.meta.dirname, '../../runner-images/kubeloom-runner');
/** No one has it. */
const user = '54321';

/** What a program in place of the runner prints there. */
function insideOf(program: string): { readonly stdout: string; readonly stderr: string } {
  const script = `set -e
    mount --make-rprivate /
    mount -t tmpfs -o mode=755 tmpfs /opt
    mkdir /opt/kubeloom
    printf %s "$PROGRAM" > /opt/kubeloom/runner.mjs
    mount -t tmpfs -o mode=1777 tmpfs /tmp
    for place in /opt /var /etc /root /home /run; do mount --bind "$place" "$place"; mount -o remount,ro,bind "$place"; done
    exec setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs sh "$RUNNER"`;
  const { PATH = '' } = process.env;
  const env = { PATH, PROGRAM: program, RUNNER: runner, HOME: '/root', TMPDIR: '/tmp' };
  return spawnSync('unshare', ['--mount', 'sh', '-c', script], { encoding: 'utf8', env });
}

const asks = `
  import { execFileSync, spawnSync } from 'node:child_process';
  import { userInfo } from 'node:os';
  import { writeFileSync } from 'node:fs';
  const printed = (program, ...args) => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    return status === 0 ? stdout.split('\\n')[0] : 'failed: ' + stderr;
  };
  let refused = '';
  try { writeFileSync('/opt/kubeloom/note', ''); } catch (error) { refused = error.code; }
  console.log(JSON.stringify({
    name: userInfo().username, uid: process.getuid(), home: process.env.HOME, refused,
    ssh: printed('ssh', '-G', 'node.example'), python: printed('python3', '-c', 'import getpass; print(getpass.getuser())'),
  }));
`;

it.skipIf(!library)(
  'ssh and Python work for a user without a name who can write to the temporary directory only',
  () => {
    const { stdout, stderr } = insideOf(asks);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      name: 'kubeloom',
      uid: Number(user),
      home: '/tmp',
      refused: expect.stringMatching(/^E(ROFS|ACCES)$/),
      ssh: 'host node.example',
      python: 'kubeloom',
    });
  },
);
