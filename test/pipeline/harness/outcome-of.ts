/** What was done about a failure, as people read it. */
import type { ClusterRecord } from '#contracts/records.ts';
import { failureOutcomeText } from '#domain/planning/text/failure-outcome-text.ts';

export const outcomeOf = (failure: ClusterRecord['failure'] | undefined): string | undefined =>
  failure ? failureOutcomeText(failure) : undefined;
