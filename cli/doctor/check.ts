/** One line of `kubeloom doctor`. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** What needs it: `all`, or `hosts` (real machines of the provider `local`). */
  readonly for: 'all' | 'hosts';
  /** Nice to have: nothing that is promised fails without it. */
  readonly optional?: true;
  readonly fix?: string;
}
