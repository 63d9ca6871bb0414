"""The bus that steers agents: requests and answers, by process, socket, server or a shared log;
hooks and budgets."""
