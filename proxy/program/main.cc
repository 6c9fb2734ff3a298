// The entry point.
int main() { return 2; }
