/**
 * What a machine says: ssh, sudo, apt, dpkg, dnf, systemd, the kernel, curl. The readers of Ansible, KubeOne and drift share this table;
 * what kubeadm and the parts of Kubernetes on a machine say is in kubeadm-causes.ts. First match wins.
 */
import { wireguardPort } from '#domain/manifest/schema/load-balancers.ts';
import { type CodedRow, rowFor } from './cause-row.ts';
import { kubeadmRows } from './kubeadm-causes.ts';

const login: readonly CodedRow[] = [
  {
    class: 'conflict',
    code: 'HostKeyChanged',
    pattern: /host key verification failed|remote host identification has changed|host key mismatch/i,
    hint: 'Another machine answers at this address than a moment before. If it stays, two machines have this address.',
  },
  {
    class: 'credentials',
    code: 'LoginExpired',
    pattern:
      /password (?:has )?expired|account (?:has )?expired|required to change your password|password change required|account validation failure|account is (?:locked|not available)|login is currently not available/i,
    hint: 'The account of the login is expired or locked on this machine: set a password or remove its expiry (`chage -M -1 -E -1 USER`), then retry.',
  },
  {
    class: 'credentials',
    code: 'SshRefused',
    pattern:
      /permission denied \((?:publickey|password|keyboard|gssapi|hostbased)|permission denied, please try again|unable to authenticate|too many authentication failures|no supported (?:authentication )?methods|authentication failure|please login as the user|load key .{0,200}(?:invalid format|error in libcrypto)|no mutual signature/i,
    hint: 'The machine does not accept the SSH key for this user: check `username` and the SSH key of this node.',
  },
  {
    class: 'user',
    code: 'SudoMissing',
    pattern: /sudo: (?:command )?not found|sudo: no such file|\bsudo['"]?: executable file not found/i,
    hint: 'The machine has no `sudo`: install it, or let Kubeloom log in as root (`username: root`).',
  },
  {
    class: 'credentials',
    code: 'SudoRefused',
    pattern:
      /a password is required|incorrect (?:sudo )?password|missing sudo password|not in the sudoers|must have a tty|no tty present|a terminal is required|not allowed to (?:execute|run sudo)|privilege escalation prompt|must be owned by uid 0|effective uid is not 0|sudo: unable to (?:initialize|open) .{0,80}(?:pam|policy)|no new privileges|are you root|superuser privileges|must be (?:run as )?root|requires root/i,
    hint: 'The user of the login needs `sudo` without a password and without a terminal on this machine (`NOPASSWD: ALL`, `!requiretty`): correct its sudoers, or use another user.',
  },
];

/** Also what a machine that does not say so has, when it is asked. */
export const diskFull: CodedRow = {
  class: 'user',
  code: 'DiskFull',
  pattern:
    /no space left|disk quota exceeded|(?:not|don't have) enough (?:free )?space|insufficient space|more space needed|disk is full|\d[KMG]i?B (?:is )?needed on|more space on the/i,
  hint: 'The disk of this machine is full (`df -h; df -i`): free space, or give its pool a larger disk; then retry.',
};

const machine: readonly CodedRow[] = [
  diskFull,
  {
    class: 'user',
    code: 'DiskFaulty',
    pattern: /read-only file system|input\/output error|structure needs cleaning|bad superblock/i,
    hint: 'The disk of this machine is damaged or mounted read-only: see `dmesg` on it; replace the machine (`kubeloom replace`) or its disk.',
  },
  {
    class: 'transient',
    code: 'OutOfMemory',
    pattern:
      /out of memory|oom[- ]?kill|cannot allocate memory|std::bad_alloc|(?:from )?signal:? (?:9\b|kill)|status 137\b|(?:^|[:;\d] ?)killed\b/i,
    hint: 'The kernel of this machine ended a program, usually because memory ran out. If it stays, choose a server type with more memory.',
  },
];

const clock: readonly CodedRow[] = [
  {
    class: 'user',
    code: 'ClockWrong',
    pattern:
      /is not valid yet|not yet valid: current time .{0,60} is before|certificate is not yet valid|not yet valid \(invalid for another|clock (?:skew|is wrong)|time .{0,40}in the future/i,
    hint: 'The clock of this machine, or of the one that it asks, is wrong: compare `date -u` on both and turn on time synchronisation (`timedatectl set-ntp true`), then retry.',
  },
  {
    class: 'user',
    code: 'CertificateExpired',
    pattern: /certificate has expired|certificate .{0,80}expired|release file .{0,300}is expired/i,
    hint: 'What answered has a certificate, or a package list, that is too old, or the clock of this machine is ahead. For Kubernetes: `kubeadm certs check-expiration` and `kubeadm certs renew all` on the control nodes. Then retry.',
  },
  {
    class: 'user',
    code: 'CertificateUntrusted',
    pattern:
      /signed by unknown authority|ssl certificate problem|self[- ]signed certificate|certificate verif(?:y|ication) failed|peer's certificate issuer|certificate is not trusted/i,
    hint: 'The machine does not trust the certificate of what it asks: a proxy in between, or an old `ca-certificates`. Correct that on the machine or in its image, then retry.',
  },
];

const packages: readonly CodedRow[] = [
  {
    class: 'conflict',
    code: 'PackageManagerBusy',
    pattern:
      /could not get lock|frontend lock|is another process using it|unable to (?:acquire|lock)|waiting for cache lock|locked by another process|holding the (?:yum|rpm|dnf) lock|existing lock \/|waiting for process with pid|transaction lock|package manager .{0,60}(?:busy|locked)/i,
    hint: 'Another package manager runs on the machine (`ps aux | grep -E "apt|dpkg|dnf|yum|unattended"`).',
  },
  {
    class: 'conflict',
    code: 'PackagesInterrupted',
    pattern: /dpkg was interrupted|dpkg --configure -a|inconsistent state|unfinished transactions? remaining/i,
    hint: 'An earlier installation on the machine was interrupted: run `sudo dpkg --configure -a` (RHEL: `dnf history redo last`) on it.',
  },
  {
    class: 'user',
    code: 'PackagesHeld',
    pattern: /held packages were changed|allow-change-held-packages|caused by held packages|versionlock/i,
    hint: 'Someone holds packages on this machine that have to change: see `apt-mark showhold`, run `apt-mark unhold` for them (RHEL: `dnf versionlock`), or remove what excludes Kubernetes’ packages; then retry.',
  },
  {
    class: 'user',
    code: 'RepositoryUntrusted',
    pattern:
      /EXPKEYSIG|REVKEYSIG|KEYEXPIRED|NO_PUBKEY|NODATA|signatures? (?:couldn't|could not) be verified|signatures were invalid|is not signed|gpg check failed|gpg keys? .{0,200}not correct|public key for .{0,200}not installed|signature could not be verified|can't check signature|bad gpg signature|error: gpg|no valid openpgp data/i,
    hint: 'The key of a package repository is expired, missing or changed on this machine: renew the key, or remove that repository from its package sources, then retry.',
  },
  {
    class: 'user',
    code: 'RepositoryGone',
    pattern:
      /(?:no longer has|does not have) a release file|status code: 4(?!08|25|29)\d\d for|failed to fetch .{0,300} 40[13] /i,
    hint: 'A package repository of this machine no longer serves its distribution, or refuses it: choose an image whose distribution is supported, or correct its package sources.',
  },
  {
    class: 'user',
    code: 'PackageMissing',
    pattern:
      /version '.{1,200}' for '.{1,200}' was not found|unable to find a match|no package .{1,200} available|unable to locate package|couldn't find any package|no installation candidate|no match for argument|no packages? found|returned error: 4(?!08|25|29)\d\d\b/i,
    hint: 'The package sources of this machine do not have this package in this version: choose a Kubernetes version that is published, or an image whose package sources have it.',
  },
  {
    class: 'user',
    code: 'PackagesBroken',
    pattern:
      /unmet dependencies|held broken packages|fix-broken|unable to correct problems|conflicting requests|nothing provides|dependency problems|error processing (?:package|archive)|dpkg returned an error|trying to overwrite|scriptlet failed|rpmdb|packages database|status database area|file .{1,200} conflicts (?:with|between)|depends: .{1,200} but .{1,200} (?:is|not) (?:to be )?install/i,
    hint: 'Packages on this machine are half installed or do not fit together: `df -h`, then `apt --fix-broken install` (RHEL: `dnf check`) on it; or replace the machine; or choose an image that fits.',
  },
  {
    class: 'user',
    code: 'PackageChangeRefused',
    pattern: /was used without --allow/i,
    hint: 'The package manager refuses what it would have to do on this machine, such as a downgrade or the removal of what is essential: the message names it. Make the change on the machine, or replace the machine.',
  },
  {
    class: 'transient',
    code: 'NodeNetworkFailed',
    pattern:
      /temporary failure (?:in name resolution|resolving)|could(?: not|n't) (?:resolve|be fetched)|not be fetched|could not connect|cannot initiate the connection|name or service not known|failed to fetch|unable to fetch|unable to connect|failed to download|cannot download|all mirrors were tried|hash sum mismatch|curl: \((?:5|6|7|18|28|35|52|56|92)\)|curl error|connection (?:timed out|reset|refused|closed)|(?:reset|closed) by|port \d+: host is|tls handshake|no such host|network is unreachable|no route to host|toomanyrequests|returned error: (?:429|5\d\d)|unexpected eof|i\/o timeout|dial tcp|not in gzip format|unexpected end of file/i,
    hint: 'The machine could not reach the network, a package mirror, a registry or another machine. If it stays, check DNS, routes and firewall of the machine.',
  },
];

const system: readonly CodedRow[] = [
  {
    class: 'user',
    code: 'RepositoryGone',
    pattern: /cannot find a valid baseurl|internal mirrorlist/i,
    hint: 'A package repository of this machine has no address any more: choose an image whose distribution is supported, or correct its package sources.',
  },
  {
    class: 'conflict',
    code: 'AddressInUse',
    pattern: /address already in use|is in use on the load balancer|port \d+ is in use/i,
    hint: `Another program on this machine uses a port of a role, of Kubernetes or of WireGuard (${wireguardPort}): \`ss -lntup\` names it. Stop it, or choose another port for the role.`,
  },
  {
    class: 'user',
    code: 'ServiceMasked',
    pattern: /is masked|unit .{1,200} (?:not found|could not be found)/i,
    hint: 'A service that is needed is masked or missing on this machine (`systemctl status`): unmask it, or choose an image that has it.',
  },
  {
    class: 'user',
    code: 'SystemUnsupported',
    pattern:
      /unsupported (?:os\b|operating system|distribution|architecture)|not been booted with systemd|failed to connect to (?:the )?(?:system )?bus|exec format error|module .{1,100} not found|could not (?:insert|load) .{0,60}module|could not be loaded|glibc_\d|cannot detect (?:os|operating system)/i,
    hint: 'The operating system, kernel or processor of this machine does not have what is needed: choose a supported image (docs/providers).',
  },
  {
    class: 'user',
    code: 'ProgramMissing',
    pattern:
      /command not found|: not found(?:$|[;.\s])|executable file not found|set the interpreter|no module named|(?:python|env|sh|bash)\b.{0,60}no such file or directory/i,
    hint: 'A program is missing on this machine: install it, or choose a supported image. Static nodes need Python 3 and `sudo`.',
  },
  {
    class: 'transient',
    code: 'ServiceFailed',
    pattern:
      /job for .{1,200} (?:failed|canceled)|failed to (?:re)?start|start request repeated too quickly|control process exited/i,
    hint: 'A service does not start on this machine: `journalctl -u NAME` says why.',
  },
  {
    class: 'transient',
    code: 'NodeTooSlow',
    pattern: /timed? ?out|deadline exceeded|temporarily unavailable|too many open files|resource busy|try again/i,
    hint: 'The machine was too slow or too busy. If it stays, check its load, or choose a larger server type.',
  },
  {
    class: 'user',
    code: 'PermissionDenied',
    pattern: /permission denied|operation not permitted/i,
    hint: 'The machine does not allow this even to root: see its mounts (`noexec`), SELinux or AppArmor, and whether it is a container.',
  },
];

/** What makes all others say all kinds of things comes first: the login, the clock, disk and memory. */
const rows: readonly CodedRow[] = [...login, ...clock, ...machine, ...kubeadmRows, ...packages, ...system];

/** The network or the time, not what is on the machine: before a login, that it is not reached. */
export function isWayThere({ code }: Pick<CodedRow, 'code'>): boolean {
  return code === 'NodeNetworkFailed' || code === 'NodeTooSlow';
}

/** What a machine means, by its words from the cause outwards. */
export function nodeRow(texts: readonly string[]): CodedRow | undefined {
  return rowFor(rows, texts);
}
