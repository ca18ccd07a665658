/** All places in the code that read what comes back, and what lies to them: a new one needs a line here, and a row that lies. */

import { cloudRows } from './answers-of-clouds.ts';
import { clusterQuestions } from './answers-of-clusters.ts';

const runner = 'runner-images/runner';

/** By file: the test that lies to it. */
const liedTo: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    clusterQuestions.flatMap(({ readers }) => readers.map((file) => [file, 'test/hostile/clusters.test.ts'])),
  ),
  ...Object.fromEntries(
    cloudRows.flatMap(({ readers }) => readers.map((file) => [file, 'test/hostile/clouds.test.ts'])),
  ),
  [`${runner}/listing/listing.ts`]: 'test/hostile/clouds.test.ts',
  ...Object.fromEntries(
    ['cloud-reader', 'read-cloud', 'clouds/hetzner', 'clouds/digitalocean'].map((file) => [
      `${runner}/catalogue/${file}.ts`,
      'test/hostile/catalogues.test.ts',
    ]),
  ),
  [`${runner}/listing/xml.ts`]: 'test/hostile/clouds.test.ts',
  [`${runner}/listing/clouds/aws.ts`]: 'test/hostile/clouds.test.ts',
  [`${runner}/provider-check/ask.ts`]: 'test/hostile/clouds.test.ts',
  ...Object.fromEntries(
    ['aws', 'azure', 'digitalocean', 'exoscale', 'gcp', 'hetzner', 'oci', 'openstack'].map((type) => [
      `${runner}/listing/machines/${type}.ts`,
      'test/hostile/machines-of-clouds.long.test.ts',
    ]),
  ),
  ...Object.fromEntries(
    ['aws', 'cloudflare', 'cloudrift', 'digitalocean', 'exoscale', 'hetzner'].map((type) => [
      `${runner}/provider-check/clouds/${type}.ts`,
      'test/hostile/machines-of-clouds.long.test.ts',
    ]),
  ),
  [`${runner}/provider-check/oci-limits.ts`]: 'test/hostile/machines-of-clouds.long.test.ts',
  [`${runner}/access/issue-certificate.ts`]: 'test/hostile/questions.test.ts',
  [`${runner}/documents/apply-documents.ts`]: 'test/hostile/questions.test.ts',
  [`${runner}/documents/components-in-use.ts`]: 'test/hostile/questions.test.ts',
  [`${runner}/kubeone/interrupted-upgrade.ts`]: 'test/hostile/questions.test.ts',
  [`${runner}/vault/vault-failure.ts`]: 'test/hostile/services.test.ts',
  [`${runner}/vault/vault-request.ts`]: 'test/hostile/services.test.ts',
  [`${runner}/vault/vault-session.ts`]: 'test/hostile/services.test.ts',
  'functions/adapters/git-references.ts': 'test/hostile/services.test.ts',
  'functions/adapters/sns-mail.ts': 'test/contracts/mail.test.ts',
  [`${runner}/terraform/templates/provider-files.ts`]: 'test/hostile/services.test.ts',
  'operator/operator.ts': 'test/hostile/operator.long.test.ts',
  'operator/kubernetes-api.ts': 'test/hostile/agents.test.ts',
  'operator/list-reader.ts': 'test/hostile/agents.test.ts',
  'operator/object-writes.ts': 'test/hostile/agents.test.ts',
  'operator/secrets.ts': 'test/hostile/agents.test.ts',
  'operator/outputs.ts': 'test/hostile/agents.test.ts',
  'operator/submit.ts': 'test/hostile/operator.long.test.ts',
  'agent/agent-api.ts': 'test/hostile/agents.test.ts',
  'agent/node-agent.ts': 'test/hostile/agents.test.ts',
  'agent/notices/aws-notices.ts': 'test/hostile/notices.test.ts',
  'agent/notices/azure-notices.ts': 'test/hostile/notices.test.ts',
  'agent/notices/evict-pods.ts': 'test/hostile/notices.test.ts',
  'agent/notices/keep-notices.ts': 'test/hostile/agents.test.ts',
  'agent/notices/mark-node.ts': 'test/hostile/notices.test.ts',
  'agent/notices/said-notices.ts': 'test/hostile/notices.test.ts',
  'agent/notices/gcp-notices.ts': 'test/hostile/notices.test.ts',
  [`${runner}/ansible/play.ts`]: 'test/ansible/machine-answers.long.test.ts',
  [`${runner}/ansible/playbook-listener.ts`]: 'test/ansible/machine-answers.long.test.ts',
  [`${runner}/tool-answer.ts`]: 'test/runner/tool-answers.test.ts',
  ...Object.fromEntries(
    ['apply-machines', 'cli/messages', 'cli/terraform-cli'].map((file) => [
      `${runner}/terraform/${file}.ts`,
      'test/runner/tool-answers.test.ts',
    ]),
  ),
  ...Object.fromEntries(
    ['play', 'playbook-events', 'playbook-listener'].map((file) => [
      `${runner}/ansible/${file}.ts`,
      'test/ansible/machine-answers.long.test.ts',
    ]),
  ),
  [`${runner}/debug/own-words.ts`]: 'test/diagnosis/debug.test.ts',
  [`${runner}/terraform/state/stored-state.ts`]: 'test/hostile/states.test.ts',
  [`${runner}/terraform/state/errored-state.ts`]: 'test/runner/terraform/errored-state.test.ts',
  ...Object.fromEntries(
    ['ansible/root-login', 'kubernetes/remove-old-members', 'kubernetes/reset-half-joined'].map((file) => [
      `${runner}/${file}.ts`,
      'test/hostile/machines-that-join.long.test.ts',
    ]),
  ),
  ...Object.fromEntries(
    ['apply-dns', 'open-firewalls', 'state/lost-state', 'state/state-lock'].map((file) => [
      `${runner}/terraform/${file}.ts`,
      'test/hostile/terraform.long.test.ts',
    ]),
  ),
  [`${runner}/git/git-source.ts`]: 'test/hostile/git.test.ts',
  [`${runner}/drift/ask-machines.ts`]: 'test/hostile/machines.long.test.ts',
  [`${runner}/machines/machine-report.ts`]: 'test/hostile/machines.long.test.ts',
  [`${runner}/kubeone/full-disk.ts`]: 'test/runner/kubeone/kubeone-driver.test.ts',
  [`${runner}/kubernetes/control-node-scripts.ts`]: 'test/runner/kubernetes/renew-certificates.test.ts',
};

/** By file: why nothing lies to it. */
const ownWords: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'dynamo-event-feed',
      'dynamo-role-bindings',
      'dynamo-table',
      'dynamo-templates',
      'dynamo-waiting-plans',
      'eventbridge-bus',
      'sfn-workflows',
      'ssm-secrets',
      'stored-record',
    ].map((file) => [`functions/adapters/${file}.ts`, 'what Kubeloom stored or sent itself, in services of AWS']),
  ),
  'agent/notices/say-notices.ts': 'a file that the pod wrote itself',
  [`${runner}/run-stage.ts`]: 'documents of the pipeline',
  [`${runner}/runner-config.ts`]: 'the environment, which the operator sets',
  [`${runner}/build-credentials.ts`]: 'answers of the broker of Kubeloom, over IAM',
  [`${runner}/build-identity.ts`]: "the metadata address of the build's own container",
  [`${runner}/terraform/cli/plugin-lock.ts`]: 'a file of the image',
  [`${runner}/stop-requests.ts`]: 'documents of the pipeline',
  [`${runner}/sim/injected-faults.ts`]: 'a file of the person who tries the simulation',
  [`${runner}/sim/simulated-drift.ts`]: 'a file of the person who tries the simulation',
  [`${runner}/sim/check-simulation.ts`]: 'a file of the person who tries the simulation',
  [`${runner}/provider-check/main.ts`]: 'what the command line sends to its own child process',
  [`${runner}/provider-check/check-request.ts`]: 'a file of the templates',
  [`${runner}/documents/prepare-documents.ts`]: 'a file of the templates',
  [`${runner}/documents/check-components.ts`]: 'documents whose sum is known',
  [`${runner}/documents/component-contracts.ts`]: 'files whose sum is known',
  [`${runner}/terraform/templates/kept-copy.ts`]: 'a copy whose sum is part of its name',
  [`${runner}/terraform/templates/archive.ts`]: 'an archive whose sum is known',
  [`${runner}/kubernetes/kubectl-failure.ts`]: 'only says which class a failure has',
  [`${runner}/kubeone/kubeone-output.ts`]: 'only says which class a failure has; test/diagnosis lies to it',
  [`${runner}/causes/cloud-codes.ts`]: 'only says which class a failure has; test/diagnosis lies to it',
  [`${runner}/kubernetes/drain-node.ts`]: 'only says which class a failure has',
  [`${runner}/drift/check-documents.ts`]: 'names of files that the runner wrote itself',
  [`${runner}/tools/kubeone.ts`]: 'asks whether a word is there, and nothing else',
  [`${runner}/kubernetes/update-endpoint-consumers.ts`]:
    'what it reads goes back to the same object of the same cluster',
};

export { liedTo, ownWords };
