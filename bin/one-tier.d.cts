export function keepToOneTier(): void;
