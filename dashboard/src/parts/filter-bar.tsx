/** Fields of filters, each under its name in the address. */
const labels = { task: 'Task', owner: 'Owner', rule: 'Rule', text: 'Words' } as const;

interface Input<Name extends string> {
  readonly filters: Readonly<Record<Name, string>>;
  readonly onFilter: (name: string, text: string) => void;
}

interface TextsInput<Name extends keyof typeof labels> extends Input<Name> {
  readonly names: readonly Name[];
}

export function Texts<Name extends keyof typeof labels>({ names, filters, onFilter }: TextsInput<Name>) {
  return (
    <>
      {names.map((name) => (
        <label key={name}>
          {labels[name]}{' '}
          <input
            type="search"
            value={filters[name]}
            onChange={({ currentTarget }) => onFilter(name, currentTarget.value)}
          />
        </label>
      ))}
    </>
  );
}

export function Times({ filters, onFilter }: Input<'since' | 'until'>) {
  return (
    <>
      {(['since', 'until'] as const).map((name) => (
        <label key={name}>
          {name === 'since' ? 'Since' : 'Until'}{' '}
          <input
            type="datetime-local"
            value={filters[name]}
            onInput={({ currentTarget }) => onFilter(name, currentTarget.value)}
          />
        </label>
      ))}
    </>
  );
}

interface ChoiceInput {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}

/** Nothing chosen is any. */
export function Choice({ label, value, options, onChange }: ChoiceInput) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">any</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}
