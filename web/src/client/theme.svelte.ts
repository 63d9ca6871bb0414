/** Light, dark, or as the system is; remembered in this browser. */
const CHOICES = ['system', 'light', 'dark'] as const;
export type Choice = (typeof CHOICES)[number];

class Theme {
  choice = $state<Choice>('system');

  constructor() {
    this.set(CHOICES.find((choice) => choice === read()) ?? 'system');
  }

  next(): void {
    this.set(CHOICES[(CHOICES.indexOf(this.choice) + 1) % CHOICES.length]!);
  }

  private set(choice: Choice): void {
    this.choice = choice;
    if (choice === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    try {
      localStorage.setItem('theme', choice);
    } catch {
      // Not allowed to remember: then it is so for this visit.
    }
  }
}

function read(): string | null {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
}

export const theme = new Theme();
