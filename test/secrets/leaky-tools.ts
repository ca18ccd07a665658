/** Tools that print everything they know: their environment and every file they were given, as text and in base64. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const leak = `
leak() {
  env | grep -a -E '^(TF_VAR_|VAULT|AWS_SECRET)' || true
  find "$PWD" -type f -size -100k ! -path '*/modules/*' | while read -r file; do cat "$file"; base64 -w0 "$file"; echo; done
}
world=\${KUBELOOM_TEST_PLANTED:?}
echo "$(basename "$0") $*" >> "$world/calls"
[ -z "\${TF_LOG_PATH-}" ] || { echo "Terraform says more"; env; } >> "$TF_LOG_PATH"
`;

const terraform = `${leak}
case "$1" in
  init) leak; leak >&2;;
  plan) leak; printf '%s\\n' "{\\"@message\\":\\"plan with $TF_VAR_secret_credentials\\",\\"type\\":\\"change_summary\\",\\"changes\\":{\\"add\\":1,\\"change\\":0,\\"remove\\":0,\\"operation\\":\\"plan\\"}}"; exit 2;;
  show) leak >&2; echo '{"format_version":"1.0"}';;
  apply) leak
    if [ -e "$world/hang" ]; then echo "$PPID" > "$world/runner.new"; mv "$world/runner.new" "$world/runner"; for _ in $(seq 600); do [ -e "$world/hang" ] || break; sleep 0.1; done; fi
    printf '%s\\n' "{\\"@level\\":\\"error\\",\\"@message\\":\\"Error: token $TF_VAR_secret_credentials refused\\",\\"type\\":\\"diagnostic\\",\\"diagnostic\\":{\\"severity\\":\\"error\\",\\"summary\\":\\"token $TF_VAR_secret_credentials refused\\",\\"detail\\":\\"unauthorized: $TF_VAR_secret_credentials\\"}}"
    exit 1;;
  output) echo '{}';;
esac
`;

const ansible = `${leak}
leak; for key in ../keys/*; do cat "$key"; base64 -w0 "$key"; echo; done
for node in $(sed -n '/"kubeloom_mesh"/,/"kubeloom_proxy"/s/.*"name": "\\(.*\\)".*/\\1/p' inventory.json); do
  printf "$KUBELOOM_EVENT_MARK"'{"time":1,"event":"ok","host":"%s","task":"t","changed":true,"what":["%s"]}\\n' "$node" "$(base64 -w0 ../keys/* | head -c 4000)"
  [[ $* != *prepare.yml* ]] || printf "$KUBELOOM_EVENT_MARK"'{"time":1,"event":"facts","host":"%s","lines":["wireguardPublicKey=\\\\"%s\\\\"","wireguardPort=51820"]}\\n' "$node" "$(printf x%043d 0 | base64 -w0 | head -c 43)="
done
`;

const kubeone = `${leak}
[ "$1" = version ] && { echo '{"kubeone":{"gitVersion":"v1.14.1"}}'; exit 0; }
leak; cat ../keys/*
cp "$world/admin.conf" planted-kubeconfig
cat planted-kubeconfig; cat planted-kubeconfig >&2; echo pki > planted.tar.gz
`;

const kubectl = `${leak}
cat "\${1#--kubeconfig=}" >&2
case "$2" in
  get) echo '{"items":[{"metadata":{"name":"own-01","resourceVersion":"1"},"spec":{},"status":{"conditions":[{"type":"Ready","status":"True"}]}}]}';;
  *) cat "\${1#--kubeconfig=}";;
esac
`;

/** Writes them; returns the variables that make runners use them. */
export async function leakyTools(world: string): Promise<Readonly<Record<string, string>>> {
  const tools = { terraform, 'ansible-playbook': ansible, kubeone, kubectl };
  await mkdir(join(world, 'bin'));
  for (const [name, text] of Object.entries(tools)) {
    await writeFile(join(world, 'bin', name), `#!/bin/bash\n${text}`);
    await chmod(join(world, 'bin', name), 0o755);
  }
  return {
    KUBELOOM_TEST_PLANTED: world,
    KUBELOOM_TERRAFORM: join(world, 'bin', 'terraform'),
    KUBELOOM_ANSIBLE_PLAYBOOK: join(world, 'bin', 'ansible-playbook'),
    KUBELOOM_KUBEONE: join(world, 'bin', 'kubeone'),
    KUBELOOM_KUBECTL: join(world, 'bin', 'kubectl'),
  };
}
