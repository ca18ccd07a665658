/** asl-validator ships no types; this is the part that is used. */
declare module 'asl-validator' {
  export default function validate(definition: object): {
    readonly isValid: boolean;
    readonly errors: readonly unknown[];
  };
}
