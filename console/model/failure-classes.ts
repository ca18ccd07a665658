/** What kind of failure it is, for people; what follows from it, docs/architecture.md says. */
import type { FailureReport } from '#contracts/failure-report.ts';

export const failureClasses: Readonly<Record<FailureReport['class'], string>> = {
  user: 'the manifest has to be changed',
  credentials: 'credentials do not work',
  quota: 'a quota is used up',
  capacity: 'the provider is full for now',
  transient: 'it may pass without a change',
  conflict: 'another program was making a change',
  stuck: 'a build has not ended, and nothing is started next to it',
  platform: 'something that Kubeloom itself runs on failed',
  bug: 'a fault of Kubeloom or of a tool',
};
