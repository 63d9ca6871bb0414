import { post } from '../client/api';

const SECONDS = 30;
const AGAIN_MS = 10_000;

/** Whether the person at this page has said that they answer permission requests here. */
class Attendance {
  on = $state(false);
  problem = $state('');
  private timer = 0;

  async toggle(): Promise<void> {
    this.on = !this.on;
    clearInterval(this.timer);
    if (this.on) this.timer = window.setInterval(() => void this.say(SECONDS), AGAIN_MS);
    await this.say(this.on ? SECONDS : 0);
  }

  private async say(seconds: number): Promise<void> {
    try {
      await post('/v1/attendance', { seconds });
      this.problem = '';
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
  }
}

export const attendance = new Attendance();
