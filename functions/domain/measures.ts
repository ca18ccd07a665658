/** Numbers that functions give under `measures`: metrics of CloudWatch in AWS, and but for the last of Prometheus on one machine. The one table of both. */

export const measures = {
  leaseOverdueSeconds: 'how long the oldest lease has been expired without being released',
  longestRunSeconds: 'how long the longest active run has been running',
  checksOverdueSeconds: 'how long the check or retry that is due for longest has been due',
  driftLeft: 'differences that nothing repairs, in the cluster that was checked last',
  incompleteChecks: 'incomplete drift checks in a row, of the cluster that was checked last',
  waitsForCapacitySeconds: 'how long a stage has waited because the account ran no more builds at once',
} as const;
export type MeasureName = keyof typeof measures;
