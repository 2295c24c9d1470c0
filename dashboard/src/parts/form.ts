/** The text of a field of the form that is submitted. `null`: the form is not there. */
export function submitted(
  event: SubmitEvent,
  name: string,
): { readonly form: HTMLFormElement; readonly text: string } | null {
  event.preventDefault();
  const form = event.currentTarget;
  if (!(form instanceof HTMLFormElement)) return null;
  const text = new FormData(form).get(name);
  return { form, text: typeof text === 'string' ? text : '' };
}
