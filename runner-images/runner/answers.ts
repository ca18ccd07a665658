/** What answers each kind of question; loaded when it is asked, so that a stage does not wait for it. */

import type { Answers } from './answer-question.ts';
import { unreported } from './provider-check/finding.ts';
import { StageFailure } from './stage-failure.ts';

export const answers: Answers = {
  credentials: async (question, { ports, templatesDirectory }) => {
    const { runCheck } = await import('./provider-check/check-request.ts');
    const installation = ports.config.KUBELOOM_INSTALLATION;
    return [...(await runCheck(question, { secrets: ports.secrets, templatesDirectory, installation }))];
  },
  templates: async (question, context) => {
    const { lookUpCommit } = await import('./git/git-lookup.ts');
    return lookUpCommit(question, context);
  },
  plugin: async (question, context) => {
    const { lookUpPlugin } = await import('./terraform/templates/look-up-plugin.ts');
    return lookUpPlugin(question, context);
  },
  source: async (question, context) => {
    const { readSource } = await import('./git/git-source.ts');
    return readSource(question, context);
  },
  catalogue: async (question, { ports }) => {
    const { readCloudFor } = await import('./catalogue/read-cloud.ts');
    return readCloudFor(question, { secrets: ports.secrets, today: ports.clock.now().toISOString().slice(0, 10) });
  },
  certificate: async (question, context) => {
    const { issueCertificate } = await import('./access/issue-certificate.ts');
    return issueCertificate(question, context);
  },
  ssh: async (question, context) => {
    const { openSsh } = await import('./access/open-ssh.ts');
    return openSsh(question, context);
  },
  state: async (question, context) => {
    const { readState } = await import('./access/read-state.ts');
    return readState(question, context);
  },
};

/** Nothing is asked, and the answer says so. */
export const simulatedAnswers: Answers = {
  credentials: async ({ type }) => [unreported('identity', type, 'simulated: nothing was asked')],
  templates: async () => ({ reason: 'simulated: no repository was asked', fix: 'name the 40 digits of a commit' }),
  plugin: simulated('no repository was asked', 'Use an installation with real runners.'),
  source: simulated('no repository was asked', 'Use an installation with real runners.'),
  catalogue: simulated('no cloud was asked', 'Use an installation with real runners.'),
  certificate: simulated('there is no cluster to sign it', 'Use `kubeloom kubeconfig` without --ttl and --role.'),
  ssh: simulated('there are no machines', 'Use a local platform with real hosts.'),
  state: simulated('Terraform creates nothing', 'Use a local platform with real hosts.'),
};

function simulated(why: string, hint: string): () => Promise<never> {
  const message = `Everything is simulated: ${why}.`;
  return () => Promise.reject(new StageFailure({ class: 'user', code: 'Simulated', message, hint }));
}
